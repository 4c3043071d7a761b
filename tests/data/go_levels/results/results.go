package results

import (
	"context"

	"example.org/elsewhere"
	"k8s.io/klog/v2"
)

func made(ctx context.Context) (context.Context, klog.Logger) {
	logger := klog.FromContext(ctx).V(2)
	return klog.NewContext(ctx, logger), logger
}

func use(ctx context.Context) {
	ctx, logger := made(ctx)
	logger.V(1).Info("returned logger")             // want V3
	klog.FromContext(ctx).Info("returned context")  // want V2
	foreign := elsewhere.Logger()
	foreign.Info("of a package that is not indexed") // want V? outside the index
	wrapped := elsewhere.Context(ctx)
	klog.FromContext(wrapped).V(1).Info("a context made of ours") // want V3
}
