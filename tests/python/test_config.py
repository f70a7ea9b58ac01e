"""Flags, environment and defaults become one configuration."""

from collections.abc import Mapping

import pytest

from lanner import _core
from lanner.cli import flags, foreign
from lanner.cli.config import Config
from lanner.errors import ConfigError

NOTHING: Mapping[str, str] = {}
NOBODY = (
    "forwarded_allow_ips: 'proxy.example' is nobody to trust: "
    "write an IP address, a network such as 10.0.0.0/8, * or unix:"
)
NO_FIELD = (
    "forwarded_headers: 'x-request-id' is no forwarding field: "
    "known are forwarded, x-forwarded-for, -proto, -host, -port, and others that are passed on, such as x-real-ip"
)


def build(environ: Mapping[str, str] = NOTHING, prefix: str = "", **given: object) -> Config:
    return Config.build("shop:app", given, environ, prefix)


def test_defaults_are_the_documented_ones() -> None:
    config = build()
    assert (config.host, config.port, config.backlog, config.workers, config.threads) == ("127.0.0.1", 8000, 2048, 1, 1)
    assert (config.access_log, config.server_header, config.date_header) == (False, True, True)
    assert (config.log_level, config.interface, config.factory, config.uds_permissions) == (
        "info",
        "auto",
        False,
        0o666,
    )
    assert (config.loop, config.lifespan) == ("auto", "auto")
    assert config.addresses() == ("127.0.0.1:8000",)
    assert config.warnings == ()


def test_every_limit_of_the_engine_has_its_default() -> None:
    assert build().limits == {field: default for field, default, *_ in _core.limits()}


def test_every_limit_of_the_engine_has_a_flag() -> None:
    for field, _, unit, name, _ in _core.limits():
        number = 7_000_000 if field == "buffers_bytes" else 700  # there is a least budget
        value = build(**({"write_low_mark": "700"} | {flags.python_name(name): str(number)})).limits[field]
        assert value == (700_000 if unit == "ms" else number), name


def test_flags_win_over_environment_over_defaults() -> None:
    environ = {"LANNER_PORT": "81", "PORT": "82"}
    assert build(environ, port="80").port == 80
    assert build(environ).port == 81
    assert build({"PORT": "82"}).port == 82
    assert build({"PORT": ""}).port == 8000


def test_every_flag_has_a_variable() -> None:
    samples = {"host": "h", "uds_permissions": "600", "interface": "wsgi", "log_level": "debug", "root_path": "/x"}
    samples |= {"loop": "uvloop", "lifespan": "off", "limit_buffers": "7m"}
    samples |= {"forwarded_allow_ips": "10.0.0.0/8", "forwarded_headers": "forwarded"}
    for flag in flags.table():
        name = flag.setting
        config = build(
            {"LANNER_" + name.upper(): samples.get(name, "300"), "LANNER_WRITE_LOW_MARK": "1"} | switch(flag)
        )
        value = config.limits[flag.limit] if flag.limit else getattr(config, name)
        if name != "write_low_mark":
            assert value != flag.default, name


def switch(flag: flags.Flag) -> dict[str, str]:
    return {"LANNER_" + flag.setting.upper(): "0" if flag.default else "1"} if flag.switch else {}


def test_web_concurrency_sets_workers() -> None:
    assert build({"WEB_CONCURRENCY": "4"}).workers == 4
    assert build({"WEB_CONCURRENCY": "4", "LANNER_WORKERS": "2"}).workers == 2


@pytest.mark.parametrize(
    ("alias", "value", "field", "expected"),
    [
        ("keep_alive", "2", "keep_alive_ms", 2000),
        ("graceful_timeout", "5", "drain_ms", 5000),
        ("workers_kill_timeout", "1m", "drain_ms", 60000),
        ("limit_request_field_size", "8k", "field_bytes", 8192),
        ("h11_max_incomplete_event_size", "16384", "head_bytes", 16384),
        ("worker_connections", "50", "connections", 50),
        ("limit_concurrency", 50, "connections", 50),
        ("backpressure", "50", "connections", 50),
    ],
)
def test_other_servers_names_set_the_same_limit(alias: str, value: object, field: str, expected: int) -> None:
    assert build(**{alias: value}).limits[field] == expected


@pytest.mark.parametrize(
    ("alias", "value", "setting", "expected"),
    [
        ("b", ["a:1", "b:2"], "bind", ("a:1", "b:2")),
        ("w", 3, "workers", 3),
        ("blocking_threads", 4, "threads", 4),
        ("trusted_proxy", "10.0.0.1", "forwarded_allow_ips", ("10.0.0.1",)),
        ("trusted_proxy_headers", "forwarded x-forwarded-for", "forwarded_headers", ("forwarded", "x-forwarded-for")),
        ("url_path_prefix", "/x", "root_path", "/x"),
        ("working_dir", "/", "chdir", "/"),
        ("access_logformat", "%(h)s", "access_log_format", "%(h)s"),
        ("access_log_fmt", "json", "access_log_format", "json"),
        ("asgi_loop", "uvloop", "loop", "uvloop"),
        ("loop", "none", "loop", "auto"),
        ("loop", "rloop", "loop", "auto"),
        ("asgi_lifespan", "off", "lifespan", "off"),
        ("interface", "asgi3", "interface", "asgi"),
    ],
)
def test_other_servers_names_set_the_same_option(alias: str, value: object, setting: str, expected: object) -> None:
    assert getattr(build(**{alias: value}), setting) == expected


def test_aliases_name_one_flag_each_and_no_foreign_one() -> None:
    names = [name for flag in flags.table() for name in (flag.name, *flag.aliases)]
    names += foreign.by_name()
    assert len(names) == len(set(names))
    assert sum(len(row.names.split()) for row in foreign.FOREIGN) == len(foreign.by_name())


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"http": "h11"}, "--http: not needed"),
        ({"k": "gevent"}, "-k: not needed: one engine; for blocking code give --threads"),
        ({"worker_tmp_dir": "/dev/shm"}, "--worker-tmp-dir: not needed"),
        ({"timeout": "30"}, "--timeout: ignored: no worker is killed"),
        ({"preload": True}, "--preload: not needed"),
    ],
)
def test_a_flag_that_means_nothing_here_says_why(given: dict[str, object], says: str) -> None:
    (note,) = build(prefix="--", **given).warnings
    assert note.startswith(says)


def test_a_foreign_argument_that_is_off_is_silent() -> None:
    assert build(reload=False, http=None, ssl_certfile=None).warnings == ()


@pytest.mark.parametrize("name", ["ssl_certfile", "certfile", "daemon", "user", "static_path_mount", "proxy_protocol"])
def test_a_flag_whose_absence_matters_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"^--{name.replace('_', '-')}: "):
        build(prefix="--", **{name: "x"})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"prot": 1}, "unknown flag prot; did you mean port?"),
        ({"keep_alve": 1}, "unknown flag keep_alve; did you mean keep_alive?"),
        ({"port": "http"}, "port: 'http' is not a whole number"),
        ({"port": True}, "port: 'True' is not a whole number"),
        ({"workers": 0}, "workers: 0 is too small; 1 is the least"),
        ({"workers": 2000}, "workers: 2000 is too large; 1024 is the most"),
        ({"interface": "rsgi"}, "interface: 'rsgi' is not one of auto, native, asgi, wsgi"),
        ({"root_path": "shop"}, "--root-path: 'shop' must begin with /"),
        ({"bind": "a:1", "port": 2}, "give bind or port, not both; bind may be repeated"),
        ({"forwarded_allow_ips": "proxy.example"}, NOBODY),
        (
            {"forwarded_allow_ips": ["::1", "10.0.0.1/8"]},
            "forwarded_allow_ips: '10.0.0.1/8' is nobody to trust: bits are set beyond the prefix",
        ),
        ({"forwarded_headers": "forwarded x-request-id"}, NO_FIELD),
        ({"write_low_mark": "1g"}, "--write-low-mark is above --write-high-mark; lower it, or raise the other"),
    ],
)
def test_mistakes_are_one_line_with_the_fix(given: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build(**given)
    assert str(caught.value) == says


def test_a_mistake_in_a_variable_names_the_variable() -> None:
    with pytest.raises(ConfigError, match=r"^LANNER_PORT: 'x'"):
        build({"LANNER_PORT": "x"})
    with pytest.raises(ConfigError, match=r"^WEB_CONCURRENCY: 'many'"):
        build({"WEB_CONCURRENCY": "many"})


def test_a_misspelt_variable_is_noted_and_a_stranger_is_not() -> None:
    notes = build({"LANNER_PROT": "1", "LANNER_CHECK": "/x", "SANNER_PORT": "1"}).warnings
    assert notes == ("LANNER_PROT is not read; did you mean LANNER_PORT?",)


def test_proxies_come_as_text_or_list() -> None:
    for given in ("10.0.0.0/8,unix:", "10.0.0.0/8 unix:", ["10.0.0.0/8", "unix:"]):
        options = build(forwarded_allow_ips=given).engine_options()
        assert (options["forwarded_allow_ips"], options["drop_untrusted"]) == ("10.0.0.0/8,unix:", True)
    assert build(forwarded_allow_ips="").engine_options()["forwarded_allow_ips"] == ""
    assert build({"FORWARDED_ALLOW_IPS": "*"}).engine_options()["forwarded_allow_ips"] == "*"


def test_without_a_list_of_proxies_this_machine_is_trusted() -> None:
    options = build({"FORWARDED_ALLOW_IPS": ""}).engine_options()
    assert (options["forwarded_allow_ips"], options["drop_untrusted"]) == ("127.0.0.1,::1", False)
    assert build(forwarded_headers="x-real-ip").engine_options()["drop_untrusted"] is True
    assert "forwarded_allow_ips" not in build(proxy_headers=False).engine_options()


def test_without_proxy_headers_the_lists_still_decide_which_fields_pass() -> None:
    for given in ({"forwarded_allow_ips": "10.0.0.0/8"}, {"forwarded_headers": "x-forwarded-for"}):
        options = build(proxy_headers=False, **given).engine_options()
        assert (options["drop_untrusted"], options["apply_forwarded"]) == (True, False)
    assert build(forwarded_allow_ips="10.0.0.0/8").engine_options()["apply_forwarded"] is True


def test_places_to_listen_add_up() -> None:
    config = build(bind=["[::1]:80", "b:2,c:3"], uds="/run/x", fd=0)
    assert config.addresses() == ("[::1]:80", "b:2", "c:3", "unix:/run/x", "fd://0")


def test_a_place_in_flags_hides_places_in_the_environment() -> None:
    environ = {"LANNER_BIND": "e:1", "LANNER_UDS": "/e", "LANNER_FD": "5"}
    assert build(environ).addresses() == ("e:1", "unix:/e", "fd://5")
    assert build(environ, port=80).addresses() == ("127.0.0.1:80",)
    assert build(environ, bind="f:2").addresses() == ("f:2",)
    assert build({"PORT": "80"}, uds="/f").addresses() == ("unix:/f",)


def test_an_ipv6_host_gets_its_brackets() -> None:
    assert build(host="::1", port=80).addresses() == ("[::1]:80",)


def test_an_access_log_file_turns_the_log_on() -> None:
    assert build(access_logfile="/x").access_log is True
    assert build(access_logfile="/x", access_log=False).access_log is False
    assert build({"LANNER_ACCESS_LOG": "1"}).access_log is True


def test_permissions_from_python_are_the_number_itself() -> None:
    assert build(uds_permissions=0o660).uds_permissions == build(uds_permissions="660").uds_permissions == 0o660


def test_root_path_loses_its_last_slash() -> None:
    assert build(root_path="/shop/").root_path == "/shop"
    assert build(root_path="/").root_path == ""


def test_root_path_is_percent_decoded() -> None:
    for given in ("/gr\u00f6\u00dfe/a b", "/gr%C3%B6%C3%9Fe/a%20b/", "/gr\u00f6%c3%9Fe%2Fa b%2F"):
        assert build(root_path=given).root_path == "/gr\u00f6\u00dfe/a b"
    assert build(root_path="/100%25%zz").root_path == "/100%%zz"
    for given, why in (("/%FF", "is not UTF-8"), ("/\udcff", "is not UTF-8"), ("/a%00b", "has a NUL")):
        with pytest.raises(ConfigError, match=why):
            build(root_path=given)


def test_several_workers_need_a_target_as_text() -> None:
    with pytest.raises(ConfigError, match="workers=2 needs the application as text"):
        Config.build(lambda environ, start_response: [], {"workers": 2}, {})


def test_engine_options_are_what_the_engine_takes() -> None:
    options = build(threads=2, root_path="/x", keep_alive=1).engine_options()
    assert options["keep_alive_ms"] == 1000
    assert (options["threads"], options["root_path"], options["log_level"]) == (2, "/x", "info")
    assert "access_log_format" not in options
