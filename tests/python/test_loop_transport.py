"""Stream transports of EngineLoop beside those of asyncio: what is claimed here holds for both."""

import asyncio
import contextvars
import logging
import os
import socket
import struct
import weakref
from typing import Any

import pytest

from lanner.loop import EngineLoop
from tests.support.stream_peers import (
    BOTH,
    HIGH,
    IntoBuffer,
    Loop,
    Recorder,
    connect,
    handler_of,
    raises,
    receive,
    run,
)

pytestmark = pytest.mark.usefixtures("no_descriptors_left")


def test_the_engine_has_transports_of_its_own_which_are_asyncios() -> None:
    async def main() -> None:
        protocol, theirs = await connect()
        with theirs:
            assert type(protocol.transport).__name__ == "StreamTransport"
            assert isinstance(protocol.transport, asyncio.Transport)
            with pytest.raises(TypeError):
                type(protocol.transport)()
            protocol.transport.close()
            await protocol.lost

    run(EngineLoop, main)


# ---- reading


@BOTH
def test_connection_made_comes_before_the_waiter_and_data_after_it(make_loop: Loop) -> None:
    async def main() -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.send(b"early")
        protocol = Recorder()
        await asyncio.get_running_loop().create_connection(lambda: protocol, sock=ours)
        assert protocol.calls[0] == "connection_made"
        if not protocol.data:
            await protocol.call_of("data_received")
        assert (bytes(protocol.data), protocol.calls) == (b"early", ["connection_made", "data_received"])
        theirs.close()
        await protocol.lost
        assert protocol.calls[2:] == ["eof_received", "connection_lost"]
        assert protocol.why is None

    run(make_loop, main)


@BOTH
@pytest.mark.parametrize("family", [socket.AF_UNIX, socket.AF_INET], ids=["unix", "tcp"])
@pytest.mark.parametrize("size", [1, 1024, 100 * 1024, 3_000_000])
def test_messages_of_all_sizes_come_back_whole(make_loop: Loop, family: int, size: int) -> None:
    message = os.urandom(size)

    async def main() -> None:
        def answer(self: Recorder) -> None:
            self.transport.write(bytes(self.data))
            self.data.clear()

        protocol, theirs = await connect(family=family, data_received=answer)
        with theirs:
            for _ in range(3):
                sent = asyncio.create_task(asyncio.get_running_loop().sock_sendall(theirs, message))
                assert await receive(theirs, size) == message
                await sent
        await protocol.lost

    run(make_loop, main)


@BOTH
def test_a_true_answer_to_eof_keeps_the_other_half_open(make_loop: Loop) -> None:
    async def main() -> None:
        protocol, theirs = await connect(eof_received=lambda self: True)
        theirs.shutdown(socket.SHUT_WR)
        await protocol.call_of("eof_received")
        assert not protocol.transport.is_closing()
        protocol.transport.write(b"still here")
        assert await receive(theirs, 10) == b"still here"
        protocol.transport.close()
        await protocol.lost
        assert protocol.calls == ["connection_made", "eof_received", "connection_lost"]
        theirs.close()

    run(make_loop, main)


@BOTH
def test_a_paused_transport_reads_nothing_until_it_is_resumed(make_loop: Loop) -> None:
    async def main() -> None:
        # Early 3.11 forgets a pause inside connection_made().
        early = make_loop is EngineLoop
        acts: Any = {"connection_made": lambda self: self.transport.pause_reading()} if early else {}
        protocol, theirs = await connect(**acts)
        with theirs:
            transport = protocol.transport
            assert transport.is_reading() != early
            transport.pause_reading()  # again: nothing
            assert not transport.is_reading()
            theirs.send(b"abc")
            for _ in range(5):
                await asyncio.sleep(0)
            assert protocol.data == b""
            transport.resume_reading()
            transport.resume_reading()
            assert transport.is_reading()
            await protocol.call_of("data_received")
            assert protocol.data == b"abc"
            transport.close()
            assert not transport.is_reading()
            transport.pause_reading()
            transport.resume_reading()
            await protocol.lost

    run(make_loop, main)


@BOTH
def test_a_reset_is_what_connection_lost_gets(make_loop: Loop) -> None:
    async def main() -> None:
        protocol, theirs = await connect(family=socket.AF_INET)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        theirs.close()
        await protocol.lost
        assert isinstance(protocol.why, ConnectionResetError)
        assert protocol.why.errno
        assert protocol.calls == ["connection_made", "connection_lost"]

    run(make_loop, main)


@BOTH
def test_a_buffered_protocol_is_read_into(make_loop: Loop) -> None:
    async def main() -> None:
        protocol, theirs = await connect(IntoBuffer)
        theirs.send(b"x" * 5000)
        while len(protocol.data) < 5000:
            await protocol.call_of("buffer_updated")
        theirs.close()
        await protocol.lost
        assert protocol.data == b"x" * 5000
        assert protocol.calls[1:5] == ["get_buffer", "buffer_updated"] * 2
        assert protocol.calls[-3:] == ["get_buffer", "eof_received", "connection_lost"]

    run(make_loop, main)


@BOTH
def test_the_protocol_may_be_switched_inside_a_call(make_loop: Loop) -> None:
    async def main() -> None:
        second: list[Recorder] = []

        def switch(self: Recorder) -> None:
            second.append(Recorder())
            self.transport.set_protocol(IntoBuffer(second[0]))
            assert isinstance(self.transport.get_protocol(), IntoBuffer)

        protocol, theirs = await connect(data_received=switch)
        theirs.send(b"one")
        await protocol.call_of("data_received")
        theirs.send(b"two")
        await second[0].call_of("buffer_updated")
        theirs.close()
        await second[0].lost
        assert (bytes(protocol.data), bytes(second[0].data)) == (b"one", b"two")
        assert not protocol.lost.done()

    run(make_loop, main)


@BOTH
def test_callbacks_run_in_the_context_of_who_connected(make_loop: Loop) -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")

    async def main() -> None:
        seen: list[str] = []

        def look(self: Recorder) -> None:
            seen.append(variable.get())
            variable.set("from data_received")

        variable.set("connecting")
        protocol, theirs = await connect(data_received=look, connection_made=lambda self: variable.set("made"))
        variable.set("later")
        theirs.send(b"1")
        await protocol.call_of("data_received")
        theirs.send(b"2")
        await protocol.call_of("data_received")
        protocol.transport.pause_reading()
        variable.set("resumed")
        protocol.transport.resume_reading()
        theirs.send(b"3")
        await protocol.call_of("data_received")
        assert seen == ["connecting", "from data_received", "resumed"]
        assert variable.get() == "resumed"
        theirs.close()
        await protocol.lost

    run(make_loop, main)


# ---- writing


@BOTH
def test_all_kinds_of_bytes_leave_in_order_and_as_they_were(make_loop: Loop) -> None:
    async def main() -> None:
        protocol, theirs = await connect()
        changed = bytearray(b"c" * 50_000)
        parts = [b"a" * 10, b"b" * 100_000, changed, memoryview(b"-d-" * 20_000)[1:-1], bytearray(b"e"), b"f" * 20_000]
        expected = b"".join(bytes(part) for part in parts)
        for part in parts:
            protocol.transport.write(part)
        protocol.transport.write(b"")
        changed[:] = b"!" * len(changed)
        protocol.transport.writelines([b"g", bytearray(b"h"), memoryview(b"i"), b"j" * 70_000])
        expected += b"ghi" + b"j" * 70_000
        assert await receive(theirs, len(expected)) == expected
        protocol.transport.close()
        await protocol.lost
        assert await receive(theirs, 1) == b""
        theirs.close()

    run(make_loop, main)


@BOTH
def test_what_cannot_be_written_is_refused_in_asyncios_words(make_loop: Loop) -> None:
    async def main() -> None:
        protocol, theirs = await connect()
        with theirs:
            transport = protocol.transport
            for wrong, name in (("text", "str"), (5, "int"), (None, "NoneType"), ([b""], "list")):
                message = f"^data argument must be a bytes-like object, not '{name}'$"
                with pytest.raises(TypeError, match=message):
                    transport.write(wrong)
            with pytest.raises(TypeError):
                transport.writelines([b"a", "b"])
            assert transport.can_write_eof()
            transport.write(b"last")
            transport.write_eof()
            transport.write_eof()
            with pytest.raises(RuntimeError, match=r"^Cannot call write\(\) after write_eof\(\)$"):
                transport.write(b"more")
            with pytest.raises(RuntimeError, match=r"after write_eof\(\)$"):
                transport.writelines([b"more"])
            assert await receive(theirs, 10) == b"last"
            theirs.send(b"answer")
            await protocol.call_of("data_received")
            assert protocol.data == b"answer"
        await protocol.lost

    run(make_loop, main)


@BOTH
def test_a_view_with_gaps_ends_the_connection(make_loop: Loop) -> None:
    async def main() -> None:
        told = handler_of(asyncio.get_running_loop())
        protocol, theirs = await connect()
        with theirs:
            protocol.transport.write(memoryview(b"abcdef")[::2])
            await protocol.lost
        assert isinstance(protocol.why, BufferError)
        assert [context["message"] for context in told] == ["Fatal write error on socket transport"]

    run(make_loop, main)


@BOTH
def test_a_peer_that_does_not_read_pauses_the_protocol_once(make_loop: Loop) -> None:
    async def main() -> None:
        protocol, theirs = await connect()
        transport, sent = protocol.transport, 0
        assert transport.get_write_buffer_limits() == (HIGH // 4, HIGH)
        while "pause_writing" not in protocol.calls:
            transport.write(b"x" * 10_000)
            sent += 10_000
            await asyncio.sleep(0)
        assert transport.get_write_buffer_size() > HIGH
        transport.write(b"y")
        assert await receive(theirs, sent + 1) == b"x" * sent + b"y"
        if "resume_writing" not in protocol.calls:
            await protocol.call_of("resume_writing")
        assert transport.get_write_buffer_size() == 0
        assert protocol.calls == ["connection_made", "pause_writing", "resume_writing"]
        theirs.close()
        await protocol.lost

    run(make_loop, main)


@BOTH
def test_one_large_write_pauses_at_once_and_a_small_one_does_not(make_loop: Loop) -> None:
    async def main() -> None:
        protocol, theirs = await connect()
        protocol.transport.write(b"x" * 1000)
        assert protocol.calls == ["connection_made"]
        protocol.transport.write(b"x" * 5_000_000)
        assert protocol.calls == ["connection_made", "pause_writing"]
        assert len(await receive(theirs, 5_001_000)) == 5_001_000
        theirs.close()
        await protocol.lost
        assert protocol.calls[2] == "resume_writing"

    run(make_loop, main)


@BOTH
def test_limits_are_set_and_refused_as_asyncio_does(make_loop: Loop) -> None:
    async def main() -> None:
        protocol, theirs = await connect()
        with theirs:
            transport = protocol.transport
            for arguments, limits in (
                ({"high": 1000}, (250, 1000)),
                ({"low": 1000}, (1000, 4000)),
                ({"high": 10, "low": 3}, (3, 10)),
                ({"high": 0}, (0, 0)),
                ({"high": 10**30, "low": 0}, (0, 10**30)),
                ({"high": float("inf"), "low": 1.5}, (1.5, float("inf"))),
                ({}, (HIGH // 4, HIGH)),
            ):
                transport.set_write_buffer_limits(**arguments)
                assert transport.get_write_buffer_limits() == limits
            with pytest.raises(ValueError, match=r"^high \(1\) must be >= low \(2\) must be >= 0$"):
                transport.set_write_buffer_limits(1, 2)
            with pytest.raises(ValueError, match=r"^high \(-4\) must be >= low \(-1\) must be >= 0$"):
                transport.set_write_buffer_limits(low=-1)
            with pytest.raises(TypeError):
                transport.set_write_buffer_limits("many")
            assert transport.get_write_buffer_limits() == (HIGH // 4, HIGH)
            transport.close()
            await protocol.lost

    run(make_loop, main)


@BOTH
def test_close_sends_all_first_and_abort_does_not(make_loop: Loop) -> None:
    async def main(how: str) -> tuple[int, list[str]]:
        protocol, theirs = await connect()
        protocol.transport.write(b"x" * 5_000_000)
        getattr(protocol.transport, how)()
        getattr(protocol.transport, how)()
        assert protocol.transport.is_closing()
        if how == "abort":
            await protocol.lost
        data = await receive(theirs, 6_000_000)
        await protocol.lost
        assert protocol.why is None
        theirs.close()
        return len(data), protocol.calls

    size, calls = run(make_loop, lambda: main("close"))
    assert size == 5_000_000
    assert calls[-1] == "connection_lost"
    assert calls.count("connection_lost") == 1
    size, calls = run(make_loop, lambda: main("abort"))
    assert 0 < size < 5_000_000  # what the system had taken
    assert calls == ["connection_made", "pause_writing", "connection_lost"]


@BOTH
def test_a_small_write_is_sent_before_abort_and_before_the_end(make_loop: Loop) -> None:
    async def main(how: str) -> bytes:
        protocol, theirs = await connect()
        protocol.transport.write(b"last words")
        getattr(protocol.transport, how)()
        data = await receive(theirs, 100)
        theirs.close()
        await protocol.lost
        return data

    for how in ("close", "abort", "write_eof"):
        assert run(make_loop, lambda how=how: main(how)) == b"last words"  # type: ignore[misc]


@BOTH
def test_writes_to_nobody_are_logged_after_the_fifth(make_loop: Loop, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        protocol, theirs = await connect()
        theirs.close()
        await protocol.lost
        for _ in range(7):
            protocol.transport.write(b"x")

    with caplog.at_level(logging.WARNING, "asyncio"):
        run(make_loop, main)
    said = [record.message for record in caplog.records]
    assert set(said) == {"socket.send() raised exception."}
    assert len(said) in (2, 3)  # asyncio forgets the first when the peer's end closed it


@BOTH
def test_what_is_written_outside_of_a_run_leaves_at_once(make_loop: Loop) -> None:
    with asyncio.Runner(loop_factory=make_loop) as runner:
        protocol, theirs = runner.run(connect())
        with theirs:
            protocol.transport.write(b"now")
            assert theirs.recv(10) == b"now"
            protocol.transport.close()
            runner.run(asyncio.wait_for(protocol.lost, 60))


# ---- what it says of itself


@BOTH
def test_extra_information_and_the_guard_of_its_descriptor(make_loop: Loop) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        protocol, theirs = await connect(family=socket.AF_INET)
        with theirs:
            transport = protocol.transport
            assert transport.get_extra_info("sockname") == theirs.getpeername()
            assert transport.get_extra_info("peername") == theirs.getsockname()
            sock = transport.get_extra_info("socket")
            assert type(sock).__name__ == "TransportSocket"
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert transport.get_extra_info("missing") is None
            assert transport.get_extra_info("missing", 5) == 5
            assert transport.get_extra_info("missing", default=6) == 6
            with pytest.raises(RuntimeError, match=f"^File descriptor {sock.fileno()} is used by transport"):
                loop.add_reader(sock.fileno(), print)
            transport.note = "kept"  # like any object of asyncio's
            assert (transport.note, weakref.ref(transport)()) == ("kept", transport)
            assert f"fd={sock.fileno()} read=polling write=<idle, bufsize=0>>" in repr(transport)
            transport.close()
            assert " closing fd=" in repr(transport)
            await protocol.lost
            assert " closed fd=" in repr(transport)
            assert transport.get_protocol() is None

    run(make_loop, main)


@BOTH
def test_debug_mode_says_when_reading_pauses_resumes_and_ends(
    make_loop: Loop, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        protocol, theirs = await connect(data_received=raises(OSError("broken")))
        protocol.transport.pause_reading()
        protocol.transport.resume_reading()
        theirs.send(b"x")
        await protocol.lost
        theirs.close()
        protocol, theirs = await connect()
        theirs.close()
        await protocol.lost

    with caplog.at_level(logging.DEBUG, "asyncio"):
        run(make_loop, main, debug=True)
    said = [record.message for record in caplog.records if "fd=" in record.message]
    words = [message.partition(">> ")[2] or message.partition(">>: ")[2] for message in said]
    assert [word for word in words if word] == [
        "pauses reading",
        "resumes reading",
        "Fatal error: protocol.data_received() call failed.",
        "received EOF",
    ]
    caplog.clear()  # the records hold the loop
