package depth

import "k8s.io/klog/v2"

func depth(logger klog.Logger) {
	klog.InfoSDepth(1, "caller's line")         // want V0 elsewhere
	loggerV := logger.V(8).WithCallDepth(2)
	loggerV.Info("body")                        // want V8 elsewhere
	defer logger.V(3).Info("finished")          // want V3 elsewhere line 13
	go logger.V(2).Info("started")              // want V2 elsewhere
	klog.V(1).InfoDepth(1, "verbose and deep")  // want V1 elsewhere
	return
}
