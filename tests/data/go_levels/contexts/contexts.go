package contexts

import (
	"context"
	"net/http"
	"time"

	"k8s.io/component-base/tracing"
	"k8s.io/klog/v2"
)

func raise(ctx context.Context) {
	logger := klog.FromContext(ctx).V(3)
	ctx = klog.NewContext(ctx, logger)
	klog.FromContext(ctx).Info("context carries") // want V3
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	ctx, span := tracing.Start(ctx, "x")
	defer span.End()
	callee(ctx, 1)
	req, err := http.NewRequestWithContext(ctx, "GET", "http://localhost", nil)
	if err == nil {
		handle(req)
		handle(req.WithContext(context.Background()))
	}
	klog.FromContext(context.Background()).V(1).Info("fresh") // want V1
}

func callee(ctx context.Context, n int) {
	klog.FromContext(ctx).V(2).Info("raised by its only caller") // want V5
}

func handle(req *http.Request) {
	klog.FromContext(req.Context()).Info("by two callers") // want V0-3
}
