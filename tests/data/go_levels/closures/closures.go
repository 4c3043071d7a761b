package closures

import (
	"context"

	"k8s.io/klog/v2"
)

type scheduler struct{}

func run(ctx context.Context, each func(context.Context, func(context.Context))) {
	logger := klog.FromContext(ctx).V(2)
	go func() {
		logger.V(1).Info("captured") // want V3
	}()
	raised := klog.NewContext(ctx, logger)
	each(raised, func(ctx context.Context) {
		klog.FromContext(ctx).Info("takes the context of its call") // want V2
	})
	local := func(logger klog.Logger) {
		logger.Info("called by name") // want V5
	}
	local(klog.Background().V(5))
	s := &scheduler{}
	until(ctx, s.once)
}

func until(ctx context.Context, f func(context.Context)) {
	f(ctx)
}

func (s *scheduler) once(ctx context.Context) {
	klog.FromContext(ctx).V(4).Info("method as a value") // want V4
}
