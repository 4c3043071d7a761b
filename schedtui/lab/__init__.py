"""The private control plane: etcd, kube-apiserver, nodes, workloads and a scheduler.

Others start at ``running`` (``ensure_lab``, ``find_running_lab``, ``RunningLab``), ``scenario`` and
``player_thread`` (what happens in it) and ``module`` (what is built and cached for it).
"""
