"""The symptoms of a scheduler that ends at once or does nothing, as data.

Owns wordings and advice; ``exit_cause`` interprets them. The order matters: the first rule that fits wins, so
what is special stands before what is general. Braces in titles and advice are the named groups of the pattern and
the facts that ``exit_cause`` adds (``kubeconfig_file``, ``kubeconfig_option``, ``config_file``, ``port_number``,
``release``, ``paused``).
"""

from __future__ import annotations

from schedtui.core.symptom import Symptom, symptom

_QUOTE = r"\\?[\"']"
"""A quotation mark as it stands inside a quoted klog value, or bare in old releases and in JSON."""

_FAILED = r"command failed\"[ ,]\"?err\"?[=:]\""
"""How a scheduler's last record begins, up to the quotation mark of its reason: klog text and JSON."""

_FREE_THE_DISK = (
    "Free some room ('df -h' shows which disk), then start again: 'schedtui lab cache' lists builds, ':runs'"
    " prunes the logs of earlier runs, 'go clean -cache' empties Go's build cache."
)

DISK_RULES: tuple[Symptom, ...] = (
    symptom(
        "disk-full",
        r"\b(?:open|write|mkdir|create|rename|truncate|f?sync|fallocate) (?P<place>[^\s:\"\\]+): no space left on"
        r" device",
        "The disk is full: {place} could not be written",
        _FREE_THE_DISK,
    ),
    symptom("disk-full-somewhere", r"no space left on device", "The disk is full", _FREE_THE_DISK),
    symptom("disk-quota", r"[Dd]isk quota exceeded", "The disk quota of this user is used up", _FREE_THE_DISK),
    symptom(
        "etcd-full",
        r"etcdserver: mvcc: database space exceeded",
        "The cluster's etcd has reached its quota and takes no more changes",
        "In a lab: 'schedtui lab down', then up again. Elsewhere: compact and defragment etcd, then"
        " 'etcdctl alarm disarm'.",
    ),
)
"""What any program says when it cannot write: schedulers, and the parts of a lab."""

EXIT_RULES: tuple[Symptom, ...] = (
    symptom(
        "lease-lost",
        r"[Ll]eader ?election lost|failed to renew lease|Failed to renew lease",
        "It lost its leader lease{paused} and ended, as every leader does that cannot renew in time",
        "Give it --leader-elect=false on a private cluster (the debugger stops every thread, the one that"
        " renews too), or a longer --leader-elect-lease-duration and --leader-elect-renew-deadline. Until the old"
        " lease is over, a new start waits and no breakpoint in the scheduling loop is hit.",
    ),
    symptom(
        "unknown-flag",
        r"unknown (?:shorthand )?flag: (?P<flag>.+?)\s*$",
        "kube-scheduler of {release} does not know the flag {flag}",
        "Flags come and go between releases: 'kube-scheduler --help' of this binary lists those it has.",
    ),
    symptom(
        "bad-flag",
        r"invalid argument (?P<value>\S+) for (?P<flag>.+?) flag",
        "The value {value} does not fit the flag {flag}",
        "'kube-scheduler --help' says what it takes.",
    ),
    symptom(
        "feature-gate",
        r"unrecognized feature gate: (?P<gate>\w+)",
        "kube-scheduler of {release} has no feature gate {gate}",
        "It is of another release, or has become part of the product and its gate was removed.",
    ),
    symptom(
        "feature-gate-locked",
        r"cannot set feature gate (?P<gate>\w+) to (?P<value>\w+), feature is locked to (?P<locked>\w+)",
        "The feature gate {gate} is locked to {locked} in {release}",
        "Leave it out of --feature-gates.",
    ),
    symptom(
        "port-in-use",
        r"listen tcp[46]? (?P<address>\S+?): bind: address already in use",
        "Another process listens on {address}",
        "Often a scheduler left over from an earlier session: 'schedtui doctor --port {port_number}' names it. End"
        " it, or start with --secure-port and another number.",
    ),
    symptom(
        "port-not-allowed",
        r"listen tcp[46]? (?P<address>\S+?): bind: permission denied",
        "It may not listen on {address}",
        "Ports below 1024 need privileges; choose another with --secure-port.",
    ),
    symptom(
        "address-not-here",
        r"listen tcp[46]? (?P<address>\S+?): bind: cannot assign requested address",
        "The address {address} is not one of this machine",
        "Name a local one with --bind-address, for instance 127.0.0.1.",
    ),
    symptom(
        "kubeconfig-broken",
        rf"error loading config file {_QUOTE}(?P<file>[^\"'\\]+){_QUOTE}: (?P<why>yaml: .*?|json: .*?|couldn't get"
        rf" version.*?)(?:\"|$)",
        "The kubeconfig {file} cannot be parsed: {why}",
        "Mend the YAML; 'kubectl config view --kubeconfig {file}' must show it.",
    ),
    symptom(
        "kubeconfig-kind",
        rf"error loading config file {_QUOTE}(?P<file>[^\"'\\]+){_QUOTE}: no kind {_QUOTE}(?P<kind>\w+)",
        "The file {file} is given as kubeconfig but is a {kind}",
        "A kubeconfig has apiVersion: v1 and kind: Config. A KubeSchedulerConfiguration goes to --config.",
    ),
    symptom(
        "kubeconfig-permission",
        rf"error loading config file {_QUOTE}(?P<file>[^\"'\\]+){_QUOTE}: open .*?: permission denied",
        "The kubeconfig {file} may not be read by this user",
        "'ls -l {file}' shows whose it is; make a copy that is yours alone (mode 0600).",
    ),
    symptom(
        "kubeconfig-missing",
        r"\bstat (?P<file>[^:\"]+): no such file or directory",
        "There is no kubeconfig {file}",
        "Check the path (relative ones start at the directory that the scheduler was started in).",
    ),
    symptom(
        "context-missing",
        r"context was not found for specified context: (?P<context>[^,\]\"]+)",
        "The kubeconfig names the context {context}, which it does not hold",
        "'kubectl config get-contexts --kubeconfig {kubeconfig_file}' lists those it has; choose one with 'kubectl"
        " config use-context'.",
    ),
    symptom(
        "credential-file-missing",
        r"unable to read (?P<what>client-cert|client-key|certificate-authority|token\S*) (?P<file>\S+)"
        r" for (?P<who>\S+) due to open \S+ (?P<why>no such file or directory|permission denied)",
        "The kubeconfig points to {file} ({what} of {who}): {why}",
        "The paths in a kubeconfig are relative to its own directory. Copy the file there, or embed the data"
        " ('kubectl config view --flatten').",
    ),
    symptom(
        "no-kubeconfig",
        r"no configuration has been provided|unable to load in-cluster configuration",
        "It was given no kubeconfig (or an empty one) and does not run inside a cluster",
        "Start with --kubeconfig FILE, or 'schedtui lab' for a private cluster.",
        unless=(r"Successfully acquired lease", r"Caches populated"),
    ),
    symptom(
        "kubeconfig-invalid",
        r"invalid configuration: (?P<why>[^\"]+)",
        "The kubeconfig is not usable: {why}",
        "'schedtui doctor{kubeconfig_option}' checks it part by part.",
    ),
    symptom(
        "config-kind",
        rf"no kind {_QUOTE}(?P<kind>\w+){_QUOTE} is registered for version {_QUOTE}"
        r"(?P<version>(?!kubescheduler\.)[^\"'\\]+)",
        "A {kind} of {version} was given as scheduler configuration: {config_file}",
        "--config wants apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration. A kubeconfig"
        " goes to --kubeconfig.",
    ),
    symptom(
        "config-kind-unknown",
        rf"no kind {_QUOTE}(?P<kind>(?!KubeSchedulerConfiguration\b)\w+){_QUOTE} is registered for version",
        "There is no configuration of the kind {kind}: {config_file}",
        "--config wants apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration.",
    ),
    symptom(
        "config-version",
        rf"no kind {_QUOTE}KubeSchedulerConfiguration{_QUOTE} is registered for version {_QUOTE}"
        r"(?P<version>kubescheduler\.[^\"'\\]+)",
        "kube-scheduler of {release} does not know the configuration version {version}",
        "Since 1.29 only kubescheduler.config.k8s.io/v1 is left (v1beta1 went in 1.25, v1beta2 in 1.28, v1beta3 in"
        " 1.29). Write apiVersion: kubescheduler.config.k8s.io/v1 and look at what changed in the fields.",
    ),
    symptom(
        "config-no-version",
        r"Object '(?P<what>apiVersion|kind|Kind)' is missing in",
        "The configuration lacks {what}",
        "Begin it with apiVersion: kubescheduler.config.k8s.io/v1 and kind: KubeSchedulerConfiguration.",
    ),
    symptom(
        "config-unknown-field",
        rf"strict decoding error: (?:unknown field {_QUOTE}(?P<field>[^\"'\\]+))",
        "The configuration holds the field {field}, which {release} does not know",
        "Check its spelling, its indentation, and whether the release has it.",
    ),
    symptom(
        "config-value",
        r"cannot unmarshal (?P<got>\w+) into Go struct field (?P<field>\S+) of type (?P<type>[\w.]+)",
        "In the configuration, {field} must be {type}, but is a {got}",
        "Correct the value in {config_file}.",
    ),
    symptom(
        "config-plugin",
        r"initializing profiles: (?P<why>(?:[^\"\\]|\\.)+)",
        "A profile of the configuration cannot be built: {why}",
        "A plugin that is enabled must be registered in this binary: for a plugin of your own, build your own"
        " scheduler (--src of its module).",
    ),
    symptom(
        "config-invalid-value",
        rf"{_FAILED}(?P<why>[\w.\[\]]+: (?:Invalid|Required|Duplicate|Unsupported) value(?:[^\"\\]|\\.)*)",
        "The configuration does not pass validation: {why}",
        "Correct that field in {config_file}.",
    ),
    symptom(
        "config-missing",
        rf"{_FAILED}open (?P<file>[^:\"]+): no such file or directory",
        "There is no file {file}",
        "Check the path given with --config (relative ones start at the directory that the scheduler was started"
        " in).",
    ),
    symptom(
        "file-permission",
        rf"{_FAILED}open (?P<file>[^:\"]+): permission denied",
        "The file {file} may not be read by this user",
        "'ls -l {file}' shows whose it is.",
    ),
    symptom(
        "config-directory",
        rf"{_FAILED}read (?P<file>[^:\"]+): is a directory",
        "The path {file} is a directory, where a file is wanted",
        "Name the file inside it.",
    ),
    symptom(
        "config-broken",
        rf"{_FAILED}(?P<why>(?:error converting YAML to JSON: )?yaml: (?:[^\"\\]|\\.)*)",
        "The configuration is not valid YAML: {why}",
        "Correct it in {config_file}; tabs are not allowed as indentation.",
    ),
    symptom(
        "panic",
        r"^(?:panic: |fatal error: )(?P<why>.+)|\"?Observed a panic\"?:? (?:panic=)?(?P<other>.+)",
        "It panicked: {why}{other}",
        "The stack below the message names the line. Under the debugger it stops there before it dies.",
    ),
    symptom(
        "out-of-memory",
        r"cannot allocate memory",
        "The machine has no memory left",
        "End what is not needed; 'free -m' shows how it stands.",
    ),
)
"""Symptoms of an exit, most special first."""

STALL_RULES: tuple[Symptom, ...] = (
    symptom(
        "certificate-expired",
        r"x509: certificate has expired or is not yet valid(?:: (?P<why>[^\"\\]+))?",
        "A certificate has expired or is not valid yet: {why}",
        "Look at the dates with 'schedtui doctor{kubeconfig_option}' and at this machine's clock;"
        " renew it where it was made (kubeadm: 'kubeadm certs renew').",
    ),
    symptom(
        "certificate-unknown-authority",
        r"x509: certificate signed by unknown authority",
        "The server's certificate is signed by an authority that the kubeconfig does not name",
        "The kubeconfig belongs to another cluster, or the cluster was made anew: fetch its kubeconfig again.",
    ),
    symptom(
        "certificate-name",
        r"x509: certificate is (?:valid|not valid) for (?P<why>[^\"\\]+)",
        "The server's certificate is not made for the name or address in the kubeconfig (valid for {why})",
        "Use one of those names as server, or set tls-server-name in the kubeconfig.",
    ),
    symptom(
        "server-speaks-http",
        r"server gave HTTP response to HTTPS client",
        "The server at that address speaks HTTP, not HTTPS",
        "The port is probably not the API server's; check 'server:' in {kubeconfig_file}.",
    ),
    symptom(
        "server-speaks-https",
        r"the server rejected our request for an unknown reason|Client sent an HTTP request to an HTTPS server",
        "The server rejects the requests as they are sent: it speaks HTTPS, the kubeconfig says HTTP",
        "Write https:// in 'server:' of {kubeconfig_file}.",
        certain=False,
    ),
    symptom(
        "unauthorized",
        r"failed to (?:list|watch) \S+ Unauthorized|\berr(?:or)?=\"?Unauthorized|: Unauthorized\b",
        "The API server does not accept the credentials in {kubeconfig_file}",
        "An expired token or certificate, or a kubeconfig of another cluster. Fetch it again.",
    ),
    symptom(
        "credential-plugin",
        r"getting credentials: (?P<why>exec: [^\"]+?)(?:\"|$)",
        "The credential plugin in the kubeconfig fails: {why}",
        "Install that program or put it on PATH; schedulers run with the PATH that schedtui was started with.",
    ),
    symptom(
        "forbidden",
        rf"(?P<what>\S{{1,200}}) is forbidden: User {_QUOTE}(?P<user>[^\"'\\]+){_QUOTE}"
        r" cannot (?P<verb>\w+) resource",
        "RBAC forbids: {user} cannot {verb} {what}",
        "Use credentials of system:kube-scheduler, or bind the user: 'kubectl create clusterrolebinding"
        " schedtui-scheduler --clusterrole=system:kube-scheduler --user={user}' (likewise"
        " system:volume-scheduler).",
    ),
    symptom(
        "server-name-unknown",
        r"dial tcp: lookup (?P<host>[^\s:]+).*?: (?P<why>no such host|server misbehaving|i/o timeout|Temporary"
        r" failure in name resolution)",
        "The name of the API server, {host}, cannot be found: {why}",
        "Check 'server:' in {kubeconfig_file}, and VPN or DNS of this machine.",
    ),
    symptom(
        "server-unreachable",
        r"dial tcp (?P<address>\S+?): (?:connect: )?(?P<why>connection refused|i/o timeout|no route to host"
        r"|network is unreachable|connection timed out)",
        "The API server at {address} does not answer: {why}",
        "Is it running, and is this the right cluster? 'schedtui doctor{kubeconfig_option}' tries it.",
        unless=(r"Caches populated", r"Successfully acquired lease"),
    ),
    symptom(
        "informers-unsynced",
        r"failed to (?:list|watch) \*[\w.]+: the server could not find the requested resource",
        "The scheduler waits for its informers: the API server does not know a kind that it needs",
        "A scheduler of a later minor release than its API server never finishes its informer sync and binds"
        " nothing. Use a server that is not older, or a scheduler of the server's release.",
    ),
    symptom(
        "waiting-for-lease",
        r"[Aa]ttempting to acquire leader lease",
        "It waits for the leader lease, which another scheduler holds; until then it tries no pod",
        "Start it with --leader-elect=false (private cluster), or with another"
        " --leader-elect-resource-name and a schedulerName of its own, or end the other scheduler.",
        unless=(r"[Ss]uccessfully acquired lease",),
    ),
    symptom(
        "old-kubeconfig-proxy",
        r"proxyconnect tcp: (?P<why>[^\"]+)",
        "The way to the API server goes through a proxy that fails: {why}",
        "Add the server to NO_PROXY.",
    ),
    symptom(
        "informers-silent",
        r"handlers are not fully synchronized",
        "It was ended before its informers had synced: the API server had not answered, or had refused",
        "'schedtui doctor{kubeconfig_option}' asks the server itself; at -v 5 the log says what each informer was"
        " answered.",
        certain=False,
    ),
)
"""Symptoms of a scheduler that is there and does nothing, most special first."""
