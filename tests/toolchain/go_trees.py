"""Small source trees that look like Kubernetes, an out-of-tree scheduler, or neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCHEDULER_GO = """package scheduler

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/klog/v2"
)

type Scheduler struct{}

func (sched *Scheduler) ScheduleOne(ctx context.Context) {
	logger := klog.FromContext(ctx)
	logger.V(3).Info("Attempting to schedule pod")
	queue.Pop(logger)
}
"""

QUEUE_GO = """package queue

import "k8s.io/klog/v2"

func Pop(logger klog.Logger) {
	logger.V(5).Info("Pod popped")
}
"""

MAIN_GO = """package main

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler"
)

func main() {
	(&scheduler.Scheduler{}).ScheduleOne(context.Background())
}
"""


def write(path: Path, text: str) -> None:
    """Write a file and the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def make_kubernetes(root: Path, requires: str = "") -> Path:
    """A tree with the shape of a Kubernetes checkout: a scheduler, its queue, a command, staging."""
    write(
        root / "go.mod",
        f"module k8s.io/kubernetes\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/client-go v0.0.0\n{requires})\n\n"
        "replace (\n\tk8s.io/client-go => ./staging/src/k8s.io/client-go\n)\n",
    )
    write(root / "pkg/scheduler/scheduler.go", SCHEDULER_GO)
    write(
        root / "pkg/scheduler/scheduler_test.go", "package scheduler\n\nfunc (sched *Scheduler) ScheduleOne() {}\n"
    )
    write(root / "pkg/scheduler/backend/queue/scheduling_queue.go", QUEUE_GO)
    write(root / "cmd/kube-scheduler/scheduler.go", MAIN_GO)
    write(root / "staging/src/k8s.io/client-go/go.mod", "module k8s.io/client-go\n")
    write(root / "staging/src/k8s.io/client-go/rest/request.go", "package rest\n")
    return root


def make_module_cache(cache: Path) -> Path:
    """A module cache with a k8s.io/kubernetes module, one sibling of its staging, klog and a capital in a path."""
    root = make_kubernetes(
        cache / "k8s.io/kubernetes@v1.36.3", "\tk8s.io/klog/v2 v2.140.0\n\tgithub.com/Azure/x v1.0.0\n"
    )
    for path in sorted((root / "staging").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (root / "staging").rmdir()
    write(cache / "k8s.io/client-go@v0.36.3/rest/request.go", "package rest\n")
    write(cache / "k8s.io/klog/v2@v2.140.0/klog.go", "package klog\n")
    write(cache / "github.com/!azure/x@v1.0.0/x.go", "package x\n")
    return root


def make_out_of_tree(root: Path) -> Path:
    """A module of a user's own with a plugin, built on k8s.io/kubernetes v1.36.3."""
    write(
        root / "go.mod",
        "module example.org/my-scheduler\n\ngo 1.26\n\nrequire k8s.io/kubernetes v1.36.3\n\n"
        "require k8s.io/client-go v0.36.3 // indirect\n\nreplace k8s.io/client-go => k8s.io/client-go v0.36.3\n",
    )
    write(root / "main.go", "package main\n\nfunc main() {}\n")
    write(root / "plugin/coschedule.go", "package plugin\n\nfunc (c *Coscheduling) Permit() {}\n")
    return root
