// Package quietnodes keeps pods away from nodes that are labelled quiet=true.
package quietnodes

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Name is what a profile enables the plugin by.
const Name = "QuietNodes"

const quietLabel = "quiet"

// QuietNodes is a Filter plugin.
type QuietNodes struct{}

var _ fwk.FilterPlugin = &QuietNodes{}

// New makes the plugin; it has no arguments.
func New(_ context.Context, _ runtime.Object, _ fwk.Handle) (fwk.Plugin, error) {
	return &QuietNodes{}, nil
}

// Name tells the framework who this is.
func (plugin *QuietNodes) Name() string {
	return Name
}

// Filter refuses quiet nodes.
func (plugin *QuietNodes) Filter(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, nodeInfo fwk.NodeInfo) *fwk.Status {
	node := nodeInfo.Node()
	if node.Labels[quietLabel] != "true" {
		return nil
	}
	klog.FromContext(ctx).V(4).Info("Node wants to be left alone", "pod", klog.KObj(pod), "node", klog.KObj(node))
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) want to be left alone")
}
