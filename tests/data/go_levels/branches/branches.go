package branches

import "k8s.io/klog/v2"

func joined(deep bool) {
	logger := klog.Background()
	if deep {
		logger = logger.V(4)
		logger.Info("inside") // want V4
	} else {
		logger = logger.V(2)
		logger.Info("other branch starts from before the if") // want V2
	}
	logger.Info("after both") // want V2-4
}

func left(done bool) {
	logger := klog.Background()
	if done {
		logger = logger.V(4)
		logger.Info("left") // want V4
		return
	}
	logger.Info("a branch that returns does not come back") // want V0
}

func shadowed(deep bool) {
	logger := klog.Background()
	if deep {
		logger := logger.V(4)
		logger.Info("shadow") // want V4
	}
	logger.Info("the outer one") // want V0
	switch {
	case deep:
		logger := logger.V(5)
		logger.Info("case") // want V5
	default:
		logger.Info("default") // want V0
	}
	logger.Info("after the switch") // want V0
}
