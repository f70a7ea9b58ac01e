"""PEP 3333: what an application answers: bodies, Content-Length, heads, start_response, write(), close()."""

import json

import pytest
from server_process import ServerProcess, wait_until
from wire_client import Answer, CutError, Wire, fetch, request

APP = "responses:app"


def events(server: ServerProcess, name: str, count: int = 1) -> list[str]:
    """What the application noted, once there is that much."""

    def noted() -> list[str] | None:
        found = json.loads(server.get(f"/ledger?id={name}"))
        return found if len(found) >= count else None

    found = wait_until(noted, f"{count} events of {name}")
    assert isinstance(found, list)
    return found


# ---- bodies


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("one_block", b"one block"),
        ("blocks", b"abcdef"),
        ("as_tuple", b"abcd"),
        ("large_blocks", b"".join(bytes([65 + i]) * 100_000 for i in range(8))),
        ("no_blocks", b""),
        ("partial", b"one block"),
    ],
)
def test_a_list_of_blocks_is_one_body_with_its_length(server: ServerProcess, path: str, body: bytes) -> None:
    with Wire(server.address) as wire:
        for _ in range(2):
            answer = wire.get("/" + path)
            assert answer.body == body
            assert answer.get("Content-Length") == str(len(body))


@pytest.mark.parametrize("path", ["empty_blocks", "empty_generator"])
def test_an_iterable_without_bytes_is_an_empty_body(server: ServerProcess, path: str) -> None:
    with Wire(server.address) as wire:
        for _ in range(2):
            answer = wire.get("/" + path)
            assert (answer.status, answer.body) == (200, b"")
            assert answer.get("Content-Length") == "0"


@pytest.mark.parametrize(
    ("path", "blocks"),
    [
        ("generator", [b"a", b"bc"]),
        ("iterator", [b"4", b"3", b"2", b"1", b"0"]),
        ("sequence", [b"x", b"y"]),
        ("ClassApp", [b"class app"]),
    ],
)
def test_each_block_of_an_iterable_is_a_chunk_and_an_empty_one_is_none(
    server: ServerProcess, path: str, blocks: list[bytes]
) -> None:
    with Wire(server.address) as wire:
        for _ in range(3):
            answer = wire.get("/" + path)
            assert answer.status == 200
            assert answer.blocks == blocks


def test_subclasses_of_list_and_bytes_are_taken(server: ServerProcess) -> None:
    assert fetch(server.address, "/subclasses").body == b"subclass"


def test_an_iterable_with_a_declared_length_is_not_chunked(server: ServerProcess) -> None:
    answer = fetch(server.address, "/sized_generator")
    assert answer.body == b"abcdef"
    assert answer.get("Content-Length") == "6"
    assert answer.get("Transfer-Encoding") is None


def test_a_1_0_client_gets_an_unsized_body_up_to_the_close(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        answer = wire.get("/generator", version="1.0")
        assert answer.body == b"abc"
        assert answer.get("Transfer-Encoding") is None
        assert answer.get("Content-Length") is None


def test_a_generator_may_call_start_response_in_its_first_step(server: ServerProcess) -> None:
    """T01."""
    answer = fetch(server.address, "/lazy")
    assert (answer.status, answer.reason, answer.body) == (404, "Lazily Not Found", b"lazy")


def test_a_generator_is_served_again_and_again_on_one_connection(server: ServerProcess) -> None:
    """T16."""
    with Wire(server.address) as wire:
        wire.send(request("/generator") * 50 + request("/iterator"))
        for _ in range(50):
            assert wire.answer().body == b"abc"
        assert wire.answer().body == b"43210"


# ---- Content-Length against the body


@pytest.mark.parametrize("kind", ["list", "generator", "write"])
def test_fewer_bytes_than_declared_are_sent_and_the_connection_is_cut(server: ServerProcess, kind: str) -> None:
    """T03."""
    with Wire(server.address) as wire:
        wire.send(request(f"/length?declared=10&sent=5&as={kind}") + request("/hello"))
        with pytest.raises(CutError) as cut:
            wire.answer()
        assert cut.value.head is not None
        assert cut.value.head.get("Content-Length") == "10"
        assert cut.value.body == b"xxxxx"
    server.wait_for_output("reason=response_too_short")  # at most once a second, so perhaps for an earlier one


@pytest.mark.parametrize("kind", ["list", "generator", "write"])
def test_more_bytes_than_declared_are_cut_off(server: ServerProcess, kind: str) -> None:
    """T04."""
    with Wire(server.address) as wire:
        wire.send(request(f"/length?declared=5&sent=10&as={kind}") + request("/hello"))
        assert wire.answer().body == b"xxxxx"
        assert wire.answer().body == b"hello"
    server.wait_for_output("reason=response_too_long")


@pytest.mark.parametrize("kind", ["list", "generator"])
@pytest.mark.parametrize("status", ["204 No Content", "205 Reset Content", "304 Not Modified"])
@pytest.mark.parametrize("length", ["", "&length=5"])
def test_some_statuses_have_no_body_whatever_the_application_gives(
    server: ServerProcess, status: str, kind: str, length: str
) -> None:
    with Wire(server.address) as wire:
        wire.send(request(f"/head_of?status={status.replace(' ', '+')}&as={kind}&body=hello{length}"))
        wire.send(request("/hello"))
        answer = wire.answer()
        assert f"{answer.status} {answer.reason}" == status
        assert answer.get("Transfer-Encoding") is None
        if answer.status == 204:
            assert answer.get("Content-Length") is None  # RFC 9110, section 8.6
        if answer.status == 205:
            assert (answer.get("Content-Length"), answer.body) == ("0", b"")  # section 15.3.6
        assert wire.answer().body == b"hello"


@pytest.mark.parametrize(
    ("path", "length"),
    [
        ("one_block", "9"),
        ("large_blocks", "800000"),
        ("generator", None),
        ("sized_generator", "6"),
        ("write_only", None),
        ("write_large", None),
        ("lazy", None),
        ("length?declared=7&sent=7&as=list", "7"),
        ("length?declared=7&sent=0&as=list", "7"),
        ("length?declared=7&sent=0&as=generator", "7"),
    ],
)
def test_head_gets_the_fields_of_get_and_no_body(server: ServerProcess, path: str, length: str | None) -> None:
    """T21."""
    with Wire(server.address) as wire:
        wire.send(request("/" + path, "HEAD") + request("/hello"))
        answer = wire.answer("HEAD")
        assert answer.get("Content-Length") == length
        assert wire.answer().body == b"hello"


def test_head_without_blocks_claims_no_length(server: ServerProcess) -> None:
    """A framework that dropped the body of its answer to HEAD: 0 would be wrong (RFC 9110, section 8.6)."""
    with Wire(server.address) as wire:
        assert wire.get("/no_blocks", "HEAD").get("Content-Length") is None
        assert wire.get("/hello").body == b"hello"


# ---- heads


def test_fields_go_out_as_given(server: ServerProcess) -> None:
    answer = fetch(server.address, "/fields")
    assert (answer.status, answer.reason) == (200, "Fine By Me")
    assert answer.all("Set-Cookie") == ["a=1", "b=2"]
    assert ("X-Case-KEPT", "as it is") in answer.fields
    assert answer.get("X-Latin") == "caf\xe9"
    assert answer.get("X-Empty") == ""
    assert answer.get("X-Blanks") == "inner  blanks"
    assert answer.get("Server") == "lanner"
    assert answer.get("Date")


def test_the_applications_server_and_date_replace_ours(server: ServerProcess) -> None:
    answer = fetch(server.address, "/own_server_and_date")
    assert answer.get("Server") == "mine"
    assert answer.get("Date") == "Thu, 01 Jan 1970 00:00:00 GMT"


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        ("200 OK", 200, "OK"),
        ("200 ", 200, "OK"),  # left empty: the registered phrase
        ("404", 404, "Not Found"),
        ("299 ", 299, ""),
        ("299 Any Reason: (at all)", 299, "Any Reason: (at all)"),
        ("418 I'm a teapot", 418, "I'm a teapot"),
        ("999 Last", 999, "Last"),
        ("200 caf\xe9", 200, "caf\xe9"),
    ],
)
def test_any_status_and_reason(server: ServerProcess, status: str, code: int, reason: str) -> None:
    quoted = "".join(f"%{ord(c):02X}" if ord(c) < 128 else f"%C3%{ord(c) - 64:02X}" for c in status)
    answer = fetch(server.address, f"/with_status?status={quoted}")
    assert (answer.status, answer.reason) == (code, reason)
    assert answer.body == b"ok"


def test_a_thousand_fields_and_a_head_at_the_limit_are_sent(server: ServerProcess) -> None:
    """A07."""
    with Wire(server.address) as wire:
        many = wire.get("/many_fields?count=1000&bytes=20")
        assert sum(name.startswith("X-") for name, _ in many.fields) == 1000
        assert len(wire.get("/many_fields?count=1&bytes=1000000").get("X-0") or "") == 1_000_000
        refused = wire.get("/many_fields?count=3&bytes=1000000")
        assert refused.status == 500
        assert refused.get("X-0") is None
        assert wire.get("/hello").body == b"hello"


def test_connection_close_of_the_application_closes(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(request("/close_field") + request("/hello"))
        answer = wire.answer()
        assert answer.body == b"bye"
        assert answer.get("Connection") == "close"
        assert wire.ended()


def bad_head_cases() -> list[str]:
    names: dict[str, list[str]] = {
        "": ["cr", "lf", "crlf", "nul", "control", "delete"],
        "name-": ["empty", "space", "colon", "crlf", "latin", "wide", "bytes"],
        "value-": ["wide", "bytes", "int", "none"],
        "pair-": ["list", "short", "long", "str"],
        "fields-": ["dict", "tuple", "none"],
        "status-": ["int", "bytes", "none", "empty", "word", "short", "099", "100", "101", "1000", "signed", "joined"],
        "status": ["-tab", "-digits"],
        "reason-": ["crlf", "nul", "wide"],
        "length-": ["word", "negative", "plus", "empty", "list", "two", "huge"],
        "hop-": ["keep", "upgrade", "close-list", "keep-alive", "proxy", "te", "trailer", "transfer", "upgrade-field"],
    }
    return [prefix + name for prefix, rest in names.items() for name in rest]


@pytest.mark.parametrize("case", bad_head_cases())
def test_a_head_that_must_not_leave_is_an_error_of_the_application(server: ServerProcess, case: str) -> None:
    """A05, A06, A07: a 500 when nobody catches it, and nothing of the head on the wire."""
    with Wire(server.address) as wire:
        answer = wire.get(f"/bad_head?case={case}")
        assert answer.status == 500
        assert {name.lower() for name, _ in answer.fields} <= {"content-type", "content-length", "server", "date"}
        caught = wire.get(f"/bad_head?case={case}&caught=1")
        assert caught.status == 200
        assert caught.body in (b"ValueError", b"TypeError")
        assert wire.get("/hello").body == b"hello"


# ---- start_response and its exc_info


def test_a_second_start_response_is_an_assertion_error(server: ServerProcess) -> None:
    """T06, A04."""
    with Wire(server.address) as wire:
        answer = wire.get("/start_twice")
        assert answer.status == 500
        assert answer.get("X-First") is None
        assert wire.get("/start_twice_with_none").status == 500
        caught = wire.get("/start_twice_caught")
        assert (caught.status, caught.get("X-First"), caught.body) == (200, "1", b"AssertionError")
        assert caught.get("X-Second") is None


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("replaced", 503),
        ("replaced_by_keyword", 503),
        ("replaced_after_empty", 500),
        ("replaced_after_empty_write", 500),
    ],
)
def test_exc_info_replaces_the_head_before_the_first_byte(server: ServerProcess, path: str, status: int) -> None:
    """T06, T07."""
    with Wire(server.address) as wire:
        answer = wire.get("/" + path)
        assert (answer.status, answer.reason, answer.body) == (status, "Replaced", b"the error page")
        assert answer.get("X-First") is None
        assert wire.get("/hello").body == b"hello"


def test_exc_info_on_the_first_call_is_an_ordinary_start(server: ServerProcess) -> None:
    answer = fetch(server.address, "/exc_info_first")
    assert (answer.status, answer.reason, answer.body) == (502, "Early", b"early")


def test_exc_info_after_the_first_byte_is_raised_again_and_the_answer_cut(server: ServerProcess) -> None:
    """T06."""
    since = server.position()
    with Wire(server.address) as wire:
        wire.send(request(f"/too_late?id=late-{since}") + request("/hello"))
        with pytest.raises(CutError) as cut:
            wire.answer()
        assert cut.value.body == b"first"
    assert events(server, f"late-{since}") == ["after the output True"]
    server.wait_for_output("LateError: after the output", since)


def test_an_application_may_go_on_after_the_re_raise(server: ServerProcess) -> None:
    answer = fetch(server.address, "/too_late_swallowed")
    assert (answer.status, answer.body) == (200, b"first second")


def test_start_response_checks_its_arguments(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        assert wire.get("/bad_exc_info").body == b"TypeError"
        for count in (0, 1, 4):
            assert wire.get(f"/bad_call?count={count}").body == b"TypeError"


def test_what_a_request_was_given_is_dead_after_it(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        assert wire.get("/keep").body == b"kept"
        answer = wire.get("/use_kept")
        assert answer.body == b"start RuntimeError, write RuntimeError, hints RuntimeError"
        assert answer.get("X-Stray") is None
        assert wire.get("/hello").body == b"hello"


# ---- write()


@pytest.mark.parametrize(
    ("path", "blocks"),
    [
        ("write_only", [b"one ", b"two"]),
        ("write_then_blocks", [b"written ", b"and ", b"yielded"]),
        ("write_then_list", [b"written ", b"and ", b"listed"]),
        ("write_between", [b"1", b"2", b"3"]),
    ],
)
def test_write_sends_before_what_is_returned(server: ServerProcess, path: str, blocks: list[bytes]) -> None:
    with Wire(server.address) as wire:
        for _ in range(2):
            assert wire.get("/" + path).blocks == blocks


def test_write_takes_bytes_only(server: ServerProcess) -> None:
    assert fetch(server.address, "/write_bad").body == b" ".join([b"TypeError"] * 5)


def test_write_of_much_keeps_its_order(server: ServerProcess) -> None:
    answer = fetch(server.address, "/write_large")
    assert answer.body == b"".join(bytes([65 + i % 26]) * 50_000 for i in range(40)) + b"end"


# ---- close()


def closed(server: ServerProcess, end: str) -> Answer | CutError:
    """The answer to an application whose iterable must be closed exactly once."""
    name = f"close-{end}-{server.position()}"
    with Wire(server.address) as wire:
        wire.send(request(f"/closing?end={end}&id={name}"))
        try:
            result: Answer | CutError = wire.answer()
        except CutError as cut:
            result = cut
        assert events(server, name) == ["close"]
        if isinstance(result, Answer):
            assert wire.get("/hello").body == b"hello"
        assert events(server, name) == ["close"]
    return result


def test_close_is_called_once_at_the_normal_end(server: ServerProcess) -> None:
    """T02."""
    result = closed(server, "normal")
    assert isinstance(result, Answer)
    assert result.body == b"onetwo"


def test_close_is_called_once_when_the_first_block_fails(server: ServerProcess) -> None:
    result = closed(server, "first")
    assert isinstance(result, Answer)
    assert result.status == 500


@pytest.mark.parametrize(("end", "body"), [("middle", b"onetwo"), ("short", b"onetwo"), ("str", b"one")])
def test_close_is_called_once_when_the_answer_breaks_off(server: ServerProcess, end: str, body: bytes) -> None:
    result = closed(server, end)
    assert isinstance(result, CutError)
    assert result.body == body


def test_close_is_called_once_when_start_response_never_was(server: ServerProcess) -> None:
    result = closed(server, "nostart")
    assert isinstance(result, Answer)
    assert result.status == 500


def test_close_is_called_once_for_head(server: ServerProcess) -> None:
    name = f"head-{server.position()}"
    with Wire(server.address) as wire:
        wire.get(f"/closing?end=normal&id={name}", "HEAD")
        assert events(server, name) == ["close"]
        assert wire.get("/hello").body == b"hello"


def test_an_error_in_close_is_logged_and_the_answer_is_whole(server: ServerProcess) -> None:
    """A10."""
    since = server.position()
    result = closed(server, "close")
    assert isinstance(result, Answer)
    assert (result.status, result.body) == (200, b"onetwo")
    output = server.wait_for_output("RuntimeError: in close()", since)
    assert output.count("RuntimeError: in close()") == 1


def test_a_list_with_a_close_method_is_closed(server: ServerProcess) -> None:
    name = f"list-{server.position()}"
    assert fetch(server.address, f"/closing_list?id={name}").body == b"one"
    assert events(server, name) == ["close"]


# ---- what an application must not return


@pytest.mark.parametrize(
    "what",
    [
        *("none", "str", "bytes", "int", "list-str", "list-none", "list-bytearray", "tuple-str"),
        *("iter-str", "iter-none", "iter-memoryview", "nothing-started"),
    ],
)
def test_a_wrong_return_value_is_a_500(server: ServerProcess, what: str) -> None:
    """A03, A05."""
    since = server.position()
    with Wire(server.address) as wire:
        assert wire.get(f"/returns?what={what}").status == 500
        assert wire.get("/hello").body == b"hello"
    server.wait_for_output("AssertionError" if what == "nothing-started" else "TypeError", since)


def test_a_wrong_block_after_the_first_cuts_the_answer(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(request("/yields_str_later"))
        with pytest.raises(CutError) as cut:
            wire.answer()
        assert cut.value.body == b"first"
