package fields

import (
	"context"

	"k8s.io/klog/v2"
)

type holder struct {
	logger klog.Logger
	ctx    context.Context
	quiet  klog.Logger
}

func newHolder(ctx context.Context) *holder {
	h := &holder{logger: klog.FromContext(ctx).V(3), ctx: ctx}
	return h
}

func (h *holder) log() {
	h.logger.Info("field")                      // want V3
	klog.FromContext(h.ctx).V(1).Info("context") // want V1
	h.quiet.Info("nobody sets it")              // want V? nothing sets
}
