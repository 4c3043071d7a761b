package parameters

import (
	"context"

	"k8s.io/klog/v2"
)

type worker struct{}

func start(ctx context.Context) {
	logger := klog.FromContext(ctx)
	one(logger.V(1))
	two(logger.V(2), 3)
	two(logger.V(4), 3)
	w := &worker{}
	w.do(logger.V(5), "x")
	recursive(logger, 3)
}

func one(logger klog.Logger) {
	logger.V(1).Info("one caller") // want V2
}

func two(logger klog.Logger, n int) {
	logger.Info("two callers") // want V2-4
}

func (w *worker) do(logger klog.Logger, name string) {
	logger.Info("method") // want V5
	w.again(logger)
}

func (w *worker) again(logger klog.Logger) {
	logger.V(1).Info("handed on") // want V6
}

func recursive(logger klog.Logger, n int) {
	logger.Info("itself again") // want V0
	if n > 0 {
		recursive(logger, n-1)
	}
}
