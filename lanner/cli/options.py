"""The keywords of `lanner.run()` and `lanner.serve()`, for type checkers: the flags by their Python names.

None is as if the keyword was not given. Never imported at run time, as typing would cost every worker 1.8 MB.
"""

from collections.abc import Sequence
from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """docs/limits.md and `lanner run --help` say what each of them does."""

    host: str | None
    port: int | None
    bind: str | Sequence[str] | None
    uds: str | None
    uds_permissions: int | None
    fd: int | None
    backlog: int | None
    app_dir: str | None
    chdir: str | None
    factory: bool | None
    interface: Literal["auto", "native", "asgi", "wsgi"] | None
    root_path: str | None
    proxy_headers: bool | None
    forwarded_allow_ips: str | Sequence[str] | None
    forwarded_headers: str | Sequence[str] | None
    workers: int | None
    threads: int | None
    loop: Literal["auto", "lanner", "asyncio", "uvloop"] | None
    lifespan: Literal["auto", "on", "off"] | None
    log_level: Literal["critical", "error", "warning", "info", "debug"] | None
    access_log: bool | None
    access_logfile: str | None
    access_log_format: str | None
    server_header: bool | None
    date_header: bool | None
    limit_request_line: int | str | None
    limit_request_head: int | str | None
    limit_request_fields: int | str | None
    limit_request_field_size: int | str | None
    limit_trailer_fields: int | str | None
    limit_trailer_size: int | str | None
    limit_chunk_overhead: int | str | None
    limit_request_body: int | str | None
    body_memory: int | str | None
    timeout_first_byte: float | str | None
    timeout_head: float | str | None
    timeout_body: float | str | None
    min_body_rate: int | str | None
    timeout_request: float | str | None
    timeout_write: float | str | None
    min_write_rate: int | str | None
    timeout_keep_alive: float | str | None
    timeout_graceful_shutdown: float | str | None
    timeout_linger: float | str | None
    limit_linger: int | str | None
    write_high_mark: int | str | None
    write_low_mark: int | str | None
    limit_buffers: int | str | None
    limit_response_head: int | str | None
    limit_connections: int | str | None
    limit_pipeline: int | str | None
