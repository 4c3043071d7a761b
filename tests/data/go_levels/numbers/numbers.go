package numbers

import "k8s.io/klog/v2"

const (
	quiet = 2 + iota
	loud
)

func levels(n int, share float64) {
	klog.V(quiet).Info("constant") // want V2
	klog.V(loud).Info("iota")      // want V3
	klog.V(klog.Level(loud)).Info("conversion") // want V3
	level := klog.Level(4)
	if share > 0.5 {
		level = 2
	}
	klog.V(level).Info("either") // want V2-4
	klog.V(klog.Level(n)).Info("argument") // want V? number
	logAt(5)
	for i := 7; i > 5; i-- {
		klog.V(klog.Level(i)).Info("counted") // want V? number
	}
}

func logAt(verbosity int) {
	klog.V(klog.Level(verbosity)).Info("by parameter") // want V5
}
