package a

import (
	"context"

	"example.org/unknown"
	"k8s.io/klog/v2"
)

func lend(ctx context.Context) {
	unknown.Run(klog.NewContext(ctx, klog.FromContext(ctx).V(4)))
}
