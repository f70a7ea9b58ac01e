"""Flags of uvicorn, gunicorn, granian and hypercorn that Lanner does not have, and the answer to each of them.

Flags that would have no effect are accepted, and a line says why. Flags whose absence a user would notice (no TLS,
another user, files not served) are refused, and the error says what to do instead.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Foreign:
    """One or more flags with one answer. Example: `Foreign("http ws", True, "chosen by itself")`."""

    names: str  # without dashes, separated by spaces
    argument: bool  # takes one
    answer: str
    refused: bool = False


ENGINE = "not needed: there is one engine, and it is always on"
WEBSOCKET = "ignored: WebSocket is not served yet"
GRACE = "ignored: a request is not cancelled when its client leaves; receive() gives http.disconnect"
CONTEXTS = "not needed: each request has a context of its own"
UNDERSCORE = "ignored: fields with an underscore in their name never reach a WSGI application; see --root-path"
RELOAD = "ignored: there is no reloading yet; restart the server to load changes"
RECYCLE = "ignored: workers are not recycled yet"
TLS = "there is no TLS yet; let a proxy in front end it, and give this server a --uds or a local port"
STATIC = "files are not served yet; let a proxy or the application (WhiteNoise) serve them"
METRICS = "there are no metrics yet"
LOGGING = "ignored: log lines are plain text on stderr; choose with --log-level, and redirect stderr"
STRICT = "ignored: RFC 9112 forbids it, and requests that need it get 400"
MANAGER = "leave that to what starts the server (systemd, a container)"
HTTP2 = "ignored: HTTP/1.1 is the protocol of this release"

FOREIGN = (
    Foreign("k worker-class", True, "not needed: one engine; for blocking code give --threads"),
    Foreign(
        "http http-parser runtime-threads runtime-mode runtime-blocking-threads task-impl",
        True,
        ENGINE,
    ),
    Foreign(
        "ws ws-max-size ws-max-queue ws-ping-interval ws-ping-timeout ws-per-message-deflate",
        True,
        WEBSOCKET,
    ),
    Foreign("websocket-ping-interval", True, WEBSOCKET),
    Foreign("asgi-disconnect-grace-period", True, GRACE),
    Foreign("no-ws", False, "not needed: WebSocket is not served yet"),
    Foreign("reset-contextvars", False, CONTEXTS),
    Foreign("preload", False, "not needed: each worker imports the application for itself"),
    Foreign("worker-tmp-dir", True, "not needed: workers have no heartbeat file"),
    Foreign(
        "t timeout",
        True,
        "ignored: no worker is killed for a slow request; for slow clients see --timeout-body",
    ),
    Foreign("timeout-worker-healthcheck", True, "not needed: a worker that dies is replaced at once"),
    Foreign("read-timeout", True, "ignored; use --timeout-head and --timeout-body"),
    Foreign("http1-header-read-timeout", True, "ignored; use --timeout-head, in seconds"),
    Foreign("http1-keep-alive http1-pipeline-flush", False, "not needed: always on"),
    Foreign("no-http1-keep-alive", False, "ignored; see --timeout-keep-alive"),
    Foreign("blocking-threads-idle-timeout", True, "not needed: idle threads stay"),
    Foreign("respawn-failed-workers", False, "not needed: always on"),
    Foreign(
        "respawn-interval",
        True,
        "not needed: a dead worker is replaced at once, a crash-looping one later",
    ),
    Foreign("reuse-port", False, "not needed: workers share one socket"),
    Foreign("no-sendfile", False, "ignored: files are sent by the kernel whenever they can be"),
    Foreign("do-handshake-on-connect suppress-ragged-eofs", False, "ignored: there is no TLS yet"),
    Foreign("reload reload-ignore-worker-failure", False, RELOAD),
    Foreign(
        "reload-dir reload-include reload-exclude reload-delay reload-engine reload-extra-file",
        True,
        RELOAD,
    ),
    Foreign(
        "reload-paths reload-ignore-dirs reload-ignore-patterns reload-ignore-paths reload-tick",
        True,
        RELOAD,
    ),
    Foreign(
        "limit-max-requests limit-max-requests-jitter max-requests max-requests-jitter",
        True,
        RECYCLE,
    ),
    Foreign("workers-lifetime workers-max-rss rss-sample-interval rss-samples", True, RECYCLE),
    Foreign("forwarder-headers header-map", True, UNDERSCORE),
    Foreign("use-colors no-use-colors", False, "not needed: there are no colours"),
    Foreign("log-config log-config-json logger-class error-logfile log-file", True, LOGGING),
    Foreign("log no-log capture-output log-syslog disable-redirect-access-to-syslog", False, LOGGING),
    Foreign("log-syslog-to log-syslog-prefix log-syslog-facility", True, LOGGING),
    Foreign("R enable-stdio-inheritance", False, "not needed: stdio is inherited"),
    Foreign("n name process-name", True, "ignored: the process keeps its name"),
    Foreign("permit-obsolete-folding strip-header-spaces casefold-http-method", False, STRICT),
    Foreign("permit-unconventional-http-method permit-unconventional-http-version", False, STRICT),
    Foreign(
        "dirty-workers dirty-timeout dirty-threads dirty-graceful-timeout",
        True,
        "ignored: no dirty workers here",
    ),
    Foreign("control-socket control-socket-mode", True, "ignored: there is no control socket yet"),
    Foreign("no-control-socket", False, "not needed: there is no control socket"),
    Foreign("http2-max-concurrent-streams http2-initial-window-size http2-max-frame-size", True, HTTP2),
    Foreign("http2-max-header-list-size http2-initial-connection-window-size", True, HTTP2),
    Foreign(
        "http2-initial-stream-window-size http2-keep-alive-interval http2-keep-alive-timeout",
        True,
        HTTP2,
    ),
    Foreign(
        "http2-max-headers-size http2-max-send-buffer-size http-protocols http2-cleartext",
        True,
        HTTP2,
    ),
    Foreign("http2 http2-adaptive-window", False, HTTP2),
    Foreign(
        "ssl-keyfile ssl-certfile ssl-keyfile-password ssl-version ssl-cert-reqs ssl-ca-certs",
        True,
        TLS,
        True,
    ),
    Foreign(
        "ssl-ciphers keyfile keyfile-password certfile cert-reqs ca-certs ciphers verify-mode",
        True,
        TLS,
        True,
    ),
    Foreign("ssl-certificate ssl-protocol-min ssl-ca ssl-crl insecure-bind quic-bind", True, TLS, True),
    Foreign("ssl-client-verify", False, TLS, True),
    Foreign(
        "static-path-route static-path-mount static-path-dir-to-file static-path-expires",
        True,
        STATIC,
        True,
    ),
    Foreign("metrics enable-backlog-metric", False, METRICS, True),
    Foreign("metrics-scrape-interval metrics-address metrics-port", True, METRICS, True),
    Foreign("statsd-host statsd-prefix dogstatsd-tags", True, METRICS, True),
    Foreign("D daemon", False, MANAGER, True),
    Foreign("u user g group m umask", True, MANAGER, True),
    Foreign("initgroups", False, MANAGER, True),
    Foreign(
        "p pid pid-file",
        True,
        "no pid file is written; the pid is in the first lines of the log",
        True,
    ),
    Foreign(
        "c config",
        True,
        "there is no configuration file yet; use flags or LANNER_<FLAG> variables",
        True,
    ),
    Foreign(
        "e env env-file env-files",
        True,
        "set it before the command: env KEY=VALUE lanner run ...",
        True,
    ),
    Foreign("header server-name", True, "not there yet; let a proxy or the application do it", True),
    Foreign(
        "paste paster paste-global dirty-app",
        True,
        "not there; give a target like module:app",
        True,
    ),
    Foreign("proxy-protocol", False, "the PROXY protocol is not spoken yet", True),
    Foreign("proxy-allow-from", True, "the PROXY protocol is not spoken yet", True),
    Foreign("protocol uwsgi-allow-from", True, "only HTTP is spoken here", True),
    Foreign("check-config print-config spew debug", False, "there is no such mode here", True),
)


def by_name() -> dict[str, Foreign]:
    """Each foreign flag under its name without dashes."""
    return {name: foreign for foreign in FOREIGN for name in foreign.names.split()}
