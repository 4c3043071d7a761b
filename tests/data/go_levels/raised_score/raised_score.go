package raised_score

import (
	"context"

	"k8s.io/klog/v2"
)

type plugin interface {
	Score(ctx context.Context, node string) int
}

type fit struct{}

func runScore(ctx context.Context, plugins []plugin) {
	if l := klog.FromContext(ctx).V(4); l.Enabled() {
		ctx = klog.NewContext(ctx, klog.LoggerWithName(l, "Score"))
	}
	for _, pl := range plugins {
		plCtx := ctx
		if l := klog.FromContext(ctx).V(4); l.Enabled() {
			plCtx = klog.NewContext(ctx, l)
		}
		pl.Score(plCtx, "node")
	}
	klog.FromContext(ctx).V(2).Info("once raised") // want V2-6; V6 at 10; V2 at 3
}

func (fit) Score(ctx context.Context, node string) int {
	klog.FromContext(ctx).V(10).Info("never at ten") // want V18; V? at 10; V18 at 18
	klog.FromContext(ctx).V(2).Info("twice raised")  // want V2-10; V10 at 10; V6 at 6
	return 0
}
