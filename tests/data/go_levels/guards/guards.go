package guards

import "k8s.io/klog/v2"

func guards(logger klog.Logger, extra bool) {
	verbose := logger.V(4).Enabled()
	if verbose {
		logger.Info("kept answer") // want V0 needs 4
	}
	if loggerV := logger.V(6); loggerV.Enabled() && extra {
		loggerV.Info("own level") // want V6
		logger.Info("other") // want V0 needs 6
	}
	switch {
	case bool(klog.V(7).Enabled()):
		klog.Info("case") // want V0 needs 7
	}
	if !klog.V(5).Enabled() {
		return
	}
	klog.Info("after an early return") // want V0 needs 5
}
