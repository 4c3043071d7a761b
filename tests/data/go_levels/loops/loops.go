package loops

import "k8s.io/klog/v2"

func twice(names []string) {
	logger := klog.Background()
	for _, name := range names {
		logger.Info("first or later round", "name", name) // want V0-2
		logger = klog.Background().V(2)
	}
	logger.Info("after") // want V0-2
}

func endless(names []string) {
	logger := klog.Background()
	for range names {
		logger = logger.V(1)
	}
	logger.Info("raised again and again") // want V? raised in a loop
}
