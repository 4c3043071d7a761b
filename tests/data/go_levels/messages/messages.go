package messages

import (
	"fmt"

	"k8s.io/klog/v2"
)

const started = "started"

func texts(logger klog.Logger, name string, n int) {
	logger.Info(started)                                     // want V0 "started"
	logger.Info("a" + "b")                                   // want V0 "ab"
	logger.Info(fmt.Sprintf("%d pods of %q", n, name))       // want V0 "… pods of …"
	klog.Infof("100%% of %s\n", name)                        // want V0 "100% of …"
	klog.Info("prefix: ", name)                              // want V0 "prefix: …"
	logger.Info(`raw "text"`)                                // want V0 "raw"
	msg := "first"
	if n > 1 {
		msg = "second"
	}
	logger.Info(msg) // want V0 "first | second"
	logEvent(logger.V(3), "Request Body")
	logEvent(logger.V(3), "Response Body")
}

func logEvent(logger klog.Logger, title string) {
	logger.Info(title) // want V3 "Request Body | Response Body"
}
