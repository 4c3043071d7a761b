"""The texts of the lab's generated Go module.

Owns what go.mod and the mains say, from k8s.io/kubernetes's own go.mod. Pure: it reads and writes no file.
"""

from __future__ import annotations

import re

_STAGING = re.compile(r"^\s*(?:replace\s+)?(k8s\.io/[\w.-]+) => \./staging/", re.MULTILINE)
_GO = re.compile(r"^go (\S+)", re.MULTILINE)
_ETCD = re.compile(r"go\.etcd\.io/etcd/(?:server|client)/v3 (v\S+)")

MAINS: dict[str, tuple[str, str]] = {
    "kube-apiserver": ("k8s.io/kubernetes/cmd/kube-apiserver/app", "NewAPIServerCommand"),
    "kube-scheduler": ("k8s.io/kubernetes/cmd/kube-scheduler/app", "NewSchedulerCommand"),
    "etcd": ("go.etcd.io/etcd/server/v3/etcdmain", "Main"),
}
"""Program → (package that holds it all, what its main calls)."""

_COMMAND_MAIN = """\
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"{package}"
)

func main() {{
	os.Exit(cli.Run(app.{function}()))
}}
"""

_ETCD_MAIN = """\
package main

import (
	"os"

	"{package}"
)

func main() {{
	etcdmain.{function}(os.Args)
}}
"""


def go_mod_text(release: str, kubernetes_go_mod: str) -> str:
    """The seed of the lab's go.mod; ``-mod=mod`` completes it.

    Args:
        release: ``v1.36.3``.
        kubernetes_go_mod: go.mod of k8s.io/kubernetes at that release. Its staging modules, replaced there by
            directories, are published as ``v0.36.3``; the etcd that it pins is the one to run.
    """
    staging = sorted(set(_STAGING.findall(kubernetes_go_mod)))
    go = _GO.search(kubernetes_go_mod)
    etcd = _ETCD.search(kubernetes_go_mod)
    published = "v0." + release.split(".", 1)[1]
    lines = ["module lab", "", f"go {go[1] if go else '1.21'}", "", "require ("]
    lines.append(f"\tk8s.io/kubernetes {release}")
    if etcd:
        lines.append(f"\tgo.etcd.io/etcd/server/v3 {etcd[1]}")
    lines += [")", "", "replace ("]
    lines += [f"\t{module} => {module} {published}" for module in staging]
    return "\n".join([*lines, ")", ""])


def main_text(name: str) -> str:
    """The main.go of one of ``MAINS``."""
    package, function = MAINS[name]
    return (_ETCD_MAIN if name == "etcd" else _COMMAND_MAIN).format(package=package, function=function)
