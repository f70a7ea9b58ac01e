"""What protocols raise and do inside the calls of a stream transport, on EngineLoop and on asyncio's loop."""

import asyncio
import gc
import socket
import warnings
from typing import Any

import pytest

from tests.support.stream_peers import (
    BOTH,
    Broke,
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


async def provoke(name: str, protocol: Recorder, theirs: socket.socket) -> None:
    """The call of that name happens."""
    if name in ("data_received", "get_buffer", "buffer_updated"):
        theirs.send(b"x")
    elif name == "eof_received":
        theirs.shutdown(socket.SHUT_WR)
    elif name == "connection_lost":
        protocol.transport.close()
    elif name in ("pause_writing", "resume_writing"):
        protocol.transport.write(b"x" * 5_000_000)
        if name == "resume_writing":
            await receive(theirs, 5_000_000)


FATAL = ["data_received", "eof_received", "get_buffer", "buffer_updated"]
LASTING = ["pause_writing", "resume_writing"]


@BOTH
@pytest.mark.parametrize("name", FATAL)
def test_an_exception_of_a_protocol_ends_the_connection(make_loop: Loop, name: str) -> None:
    async def main() -> None:
        told = handler_of(asyncio.get_running_loop())
        kind = [IntoBuffer] if name in ("get_buffer", "buffer_updated") else []
        error = Broke()
        protocol, theirs = await connect(*kind, **{name: raises(error)})
        current, transport = protocol.transport.get_protocol(), protocol.transport
        with theirs:
            await provoke(name, protocol, theirs)
            await protocol.lost
        expected = {
            "message": f"Fatal error: protocol.{name}() call failed.",
            "exception": error,
            "transport": transport,
            "protocol": current,
        }
        assert told == [expected]
        assert protocol.why is error
        assert protocol.calls.count("connection_lost") == 1

    run(make_loop, main)


@BOTH
@pytest.mark.parametrize("name", LASTING)
def test_an_exception_while_pausing_is_told_and_the_connection_goes_on(make_loop: Loop, name: str) -> None:
    async def main() -> None:
        told = handler_of(asyncio.get_running_loop())
        error = Broke()
        protocol, theirs = await connect(**{name: raises(error)})
        done = protocol.call_of(name)
        await provoke(name, protocol, theirs)
        await done
        context = {"message": f"protocol.{name}() failed", "exception": error}
        assert told == [context | {"transport": protocol.transport, "protocol": protocol}]
        if name == "pause_writing":
            await receive(theirs, 5_000_000)
        protocol.transport.write(b"more")
        assert await receive(theirs, 4) == b"more"
        theirs.close()
        await protocol.lost

    run(make_loop, main)


@BOTH
def test_a_network_error_that_a_protocol_raises_is_not_told(make_loop: Loop) -> None:
    async def main() -> None:
        told = handler_of(asyncio.get_running_loop())
        error = OSError("not ours")
        protocol, theirs = await connect(data_received=raises(error))
        with theirs:
            theirs.send(b"x")
            await protocol.lost
        assert (told, protocol.why) == ([], error)

    run(make_loop, main)


@BOTH
@pytest.mark.parametrize("waiting", [False, True], ids=["empty", "full"])
def test_an_exception_of_connection_lost_is_told_and_the_socket_closed(make_loop: Loop, waiting: bool) -> None:
    async def main() -> None:
        told = handler_of(asyncio.get_running_loop())
        error = Broke()
        protocol, theirs = await connect(connection_lost=raises(error))
        size = 5_000_000 if waiting else 1
        protocol.transport.write(b"x" * size)
        protocol.transport.close()
        assert len(await receive(theirs, size + 1)) == size
        await protocol.lost
        await asyncio.sleep(0)
        theirs.close()
        assert [context["exception"] for context in told] == [error]
        assert protocol.transport.get_protocol() is None

    run(make_loop, main)


@BOTH
def test_a_buffer_that_cannot_be_read_into_is_an_error(make_loop: Loop) -> None:
    async def main(buffer: Any) -> tuple[str, str, str]:
        told = handler_of(asyncio.get_running_loop())
        protocol, theirs = await connect(IntoBuffer, buffer)
        with theirs:
            theirs.send(b"x")
            await protocol.lost
        assert protocol.why is told[0]["exception"]
        return told[0]["message"], type(protocol.why).__name__, str(protocol.why)

    get_buffer = "Fatal error: protocol.get_buffer() call failed."
    assert run(make_loop, lambda: main(b"")) == (get_buffer, "RuntimeError", "get_buffer() returned an empty buffer")
    assert run(make_loop, lambda: main(5))[:2] == (get_buffer, "TypeError")
    # The words are the socket's, and the same for both.
    read_only = run(make_loop, lambda: main(b"read-only"))
    assert read_only == run(asyncio.SelectorEventLoop, lambda: main(b"read-only"))
    assert read_only[0] == "Fatal read error on socket transport"


@BOTH
@pytest.mark.parametrize("kind_of_error", [SystemExit, KeyboardInterrupt])
@pytest.mark.parametrize("name", [*FATAL, *LASTING, "connection_lost", "connection_made"])
def test_what_ends_the_program_comes_out_of_the_run(
    make_loop: Loop, name: str, kind_of_error: type[BaseException]
) -> None:
    async def main() -> None:
        kind = [IntoBuffer] if name in ("get_buffer", "buffer_updated") else []
        handler_of(asyncio.get_running_loop())  # a log would keep the traceback, and all that is in it
        protocol, theirs = await connect(*kind, **{name: raises(kind_of_error())})
        with theirs:
            await provoke(name, protocol, theirs)
            await asyncio.sleep(3600)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # what was open then
        with pytest.raises(kind_of_error):
            run(make_loop, main)
        gc.collect()


@BOTH
@pytest.mark.parametrize("how", ["close", "abort"])
@pytest.mark.parametrize("name", ["connection_made", *FATAL, *LASTING, "connection_lost"])
def test_a_connection_may_be_ended_inside_every_call(make_loop: Loop, name: str, how: str) -> None:
    async def main() -> None:
        told = handler_of(asyncio.get_running_loop())
        kind = [IntoBuffer] if name in ("get_buffer", "buffer_updated") else []
        protocol, theirs = await connect(*kind, **{name: lambda self: getattr(self.transport, how)()})
        with theirs:
            if name != "connection_made":
                await provoke(name, protocol, theirs)
                if name == "pause_writing":
                    await receive(theirs, 5_000_000)
            await protocol.lost
            await asyncio.sleep(0)
        assert protocol.why is None
        assert protocol.calls.count("connection_lost") == 1
        # asyncio calls connection_lost() twice when it is closed in the first of these; that is told.
        assert told == [] or (make_loop is asyncio.SelectorEventLoop and name == "resume_writing")

    run(make_loop, main)
