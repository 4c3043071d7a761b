"""schedtui: a terminal cockpit for people who build, run and debug kube-scheduler from source."""

__version__ = "0.1.0"
