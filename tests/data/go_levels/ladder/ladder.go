package ladder

import (
	"context"

	"k8s.io/klog/v2"
)

func roundTrip(ctx context.Context, byContext bool) {
	logger := klog.FromContext(ctx)
	if byContext {
		if loggerV := logger.V(9); loggerV.Enabled() {
			logger = loggerV
		} else if loggerV := logger.V(8); loggerV.Enabled() {
			logger = loggerV
		} else if loggerV := logger.V(6); loggerV.Enabled() {
			logger = loggerV
		}
	}
	logger.Info("Request") // want V0-9; V9 at 10; V8 at 8; V6 at 7; V0 at 5
}
