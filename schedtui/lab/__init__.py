"""The private control plane: etcd, kube-apiserver, nodes, workloads and a scheduler."""
