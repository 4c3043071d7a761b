package plain

import (
	"context"
	"errors"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

var traced = klog.V(6)

func packageCalls(err error) {
	klog.Info("info")                             // want V0
	klog.Infof("format %d of %s", 1, "x")         // want V0
	klog.InfoS("structured", "k", 1)              // want V0
	klog.V(4).Info("verbose")                     // want V4
	klog.V(2).InfoS("verbose structured")         // want V2
	klog.Warningf("careful %v", err)              // want W
	klog.ErrorS(err, "failed")                    // want E
	utilruntime.HandleError(errors.New("broken")) // want E
	traced.InfoS("package variable")              // want V6
	if klog.V(5).Enabled() {
		klog.Infof("plain inside a guard") // want V0 needs 5
	}
}

func loggers(ctx context.Context, logger klog.Logger) {
	logger.Info("no caller")                                // want V0
	logger.V(3).V(1).Info("offsets add")                    // want V4
	klog.Background().V(1).Info("background")               // want V1
	klog.FromContext(ctx).V(2).Info("from context")         // want V2
	klog.LoggerWithName(logger, "x").V(5).Info("named")     // want V5
	logger.WithValues("a", 1).V(7).Info("values")           // want V7
	logger.V(2).Error(nil, "errors have no level")          // want E
	klog.FromContext(context.TODO()).V(9).Info("todo")      // want V9
	logger.
		V(8).
		Info("the line is the method name's") // want V8
}
