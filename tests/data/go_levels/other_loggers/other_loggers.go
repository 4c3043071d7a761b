package other_loggers

import (
	"go.uber.org/zap"
	"google.golang.org/grpc/status"
	"k8s.io/klog/v2"
)

func others(lg *zap.Logger, l klog.Logger, err error) {
	lg.Info("zap is not klog")
	_ = status.Error(3, "nor is a status")
	l.Info("this one is") // want V0
}
