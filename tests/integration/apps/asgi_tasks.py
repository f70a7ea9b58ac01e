"""Applications that use asyncio and anyio in every way, most of them in their first step."""

import asyncio
import contextlib
import contextvars
import gc
import os
import signal
import socket
import sys
import threading

import anyio
import anyio.to_thread
import sniffio
from asgi_dispatch import answer, arguments, gate, note, router

variable = contextvars.ContextVar("variable", default="unset")


# ---- tasks


async def current(scope, receive, send):
    """The task is one and the same, from the first step to the last."""
    first = asyncio.current_task()
    found = {
        "kind": isinstance(first, asyncio.Task),
        "among all": first in asyncio.all_tasks(),
        "loop": first.get_loop() is asyncio.get_running_loop(),
        "coroutine": asyncio.iscoroutine(first.get_coro()),
        "name": isinstance(first.get_name(), str),
        "done": first.done(),
    }
    seen = {first}
    await asyncio.sleep(0)
    seen.add(asyncio.current_task())
    await asyncio.sleep(0.001)
    seen.add(asyncio.current_task())
    await asyncio.to_thread(lambda: None)
    seen.add(asyncio.current_task())
    await send({"type": "http.response.start", "status": 200})
    seen.add(asyncio.current_task())
    found["tasks"] = len(seen)
    await send({"type": "http.response.body", "body": repr(found).encode()})


async def count(scope, receive, send):
    """Tasks that are alive but for this one."""
    await answer(send, {"tasks": len(asyncio.all_tasks()) - 1})


async def suspended(scope, receive, send):
    """Many of these at a time."""
    await gate(scope)
    await answer(send, arguments(scope)["number"])


async def child_tasks(scope, receive, send):
    async def child(number):
        await asyncio.sleep(0)
        return number

    tasks = [asyncio.create_task(child(number)) for number in range(100)]
    await answer(send, sum([await task for task in tasks]))


async def cancels_itself(scope, receive, send):
    asyncio.current_task().cancel()
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        asyncio.current_task().uncancel()
        await answer(send, "cancelled and alive")


async def is_cancelled(scope, receive, send):
    asyncio.current_task().cancel()
    await asyncio.sleep(0)


async def raises_cancelled(scope, receive, send):
    raise asyncio.CancelledError


async def runs_nested(scope, receive, send):
    """asyncio.run inside a running loop is an error, as ever."""
    coroutine = asyncio.sleep(0)
    try:
        asyncio.run(coroutine)
    except RuntimeError as error:
        await answer(send, str(error))
    finally:
        coroutine.close()


# ---- timeouts, groups, anyio


async def timeout(scope, receive, send):
    """asyncio.timeout in the first step."""
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(60)
    except TimeoutError:
        await answer(send, "timed out")


async def timeout_zero(scope, receive, send):
    try:
        async with asyncio.timeout(0):
            await asyncio.sleep(60)
    except TimeoutError:
        await answer(send, "timed out")


async def task_group(scope, receive, send):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.sleep(0.001, number)) for number in range(10)]
    await answer(send, sum(task.result() for task in tasks))


async def task_group_fails(scope, receive, send):
    async def fail():
        raise LookupError("in the group")

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            sleeping = group.create_task(asyncio.sleep(60))
    except* LookupError:
        await answer(send, f"{sleeping.cancelled()}")


async def any_move_on(scope, receive, send):
    with anyio.move_on_after(0.01) as scope_of_time:
        await anyio.sleep(60)
    await answer(send, f"{scope_of_time.cancelled_caught}")


async def any_fail_after(scope, receive, send):
    try:
        with anyio.fail_after(0.01):
            await anyio.sleep(60)
    except TimeoutError:
        await answer(send, "timed out")


async def any_group(scope, receive, send):
    found = []

    async def child(number):
        await anyio.sleep(0)
        found.append(number)

    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(child, number)
    await answer(send, sum(found))


async def any_group_of_callables(scope, receive, send):
    """receive and send themselves as what a group runs."""
    async with anyio.create_task_group() as group:
        group.start_soon(receive)
        group.start_soon(send, {"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"grouped"})


async def any_thread(scope, receive, send):
    variable.set("mine")
    name, value = await anyio.to_thread.run_sync(lambda: (threading.current_thread().name, variable.get()))
    back = await anyio.to_thread.run_sync(lambda: anyio.from_thread.run(asyncio.sleep, 0, "back"))
    await answer(send, f"{name != threading.main_thread().name} {value} {back}")


async def any_cancelled_first(scope, receive, send):
    """As Starlette's is_disconnected: a scope that is cancelled before its first await."""
    with anyio.CancelScope() as cancelled:
        cancelled.cancel()
        await anyio.sleep(60)
    with anyio.CancelScope() as cancelled:
        cancelled.cancel()
        message = await receive()  # which is there at once
    await answer(send, f"{message['type']} {sniffio.current_async_library()}")


async def any_events(scope, receive, send):
    event, lock, limiter = anyio.Event(), anyio.Lock(), anyio.CapacityLimiter(1)
    async with anyio.create_task_group() as group:
        group.start_soon(event.wait)
        async with lock, limiter:
            event.set()
    await answer(send, "set")


# ---- what a loop offers


async def executor(scope, receive, send):
    loop = asyncio.get_running_loop()
    name = await loop.run_in_executor(None, lambda: threading.current_thread().name)
    await answer(send, f"{name != threading.main_thread().name}")


async def executor_size(scope, receive, send):
    """How many threads the default executor has at work at once; ?at_least= of them must meet."""
    loop, least = asyncio.get_running_loop(), int(arguments(scope)["at_least"])
    barrier = threading.Barrier(least)
    names = set()

    def meet():
        names.add(threading.current_thread().name)
        barrier.wait(20)

    await asyncio.gather(*(loop.run_in_executor(None, meet) for _ in range(least * 5)))
    await answer(send, len(names))


async def subprocess(scope, receive, send):
    code = "import sys; print(sys.stdin.read().upper()); sys.exit(3)"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate(b"from a child")
    await answer(send, f"{out.decode().strip()} {process.returncode}")


async def subprocess_killed(scope, receive, send):
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(60)")
    process.terminate()
    await answer(send, f"{await process.wait()}")


async def signals(scope, receive, send):
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, told.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await told.wait()
    await answer(send, f"told {loop.remove_signal_handler(signal.SIGUSR1)}")


async def reader(scope, receive, send):
    """add_reader and add_writer, changed and removed."""
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    found = []
    with ours, theirs:
        ours.setblocking(False)
        came, went = loop.create_future(), loop.create_future()

        def on_readable():
            found.append(ours.recv(100))
            loop.remove_reader(ours)
            came.set_result(None)

        def on_writable():
            loop.remove_writer(ours)
            went.set_result(None)

        loop.add_reader(ours, on_readable)
        loop.add_writer(ours, on_writable)
        await went
        theirs.send(b"read")
        await came
        found.append(str(bool(loop.remove_reader(ours))).encode())
        await loop.sock_sendall(ours, b"x" * 10)
        theirs.setblocking(False)
        found.append(await loop.sock_recv(theirs, 100))
    await answer(send, b" ".join(found))


async def reader_of_a_pipe(scope, receive, send):
    """A descriptor number is used again after close: watched anew, not mistaken."""
    loop = asyncio.get_running_loop()
    for _ in range(50):
        read_end, write_end = os.pipe()
        came = loop.create_future()
        loop.add_reader(read_end, lambda came=came: came.done() or came.set_result(None))
        os.write(write_end, b"x")
        await came
        loop.remove_reader(read_end)
        os.close(read_end)
        os.close(write_end)
    await answer(send, "read")


async def connection(scope, receive, send):
    """To a server of its own, in the same loop, with a large exchange."""

    async def serve(reader, writer):
        while data := await reader.read(65536):
            writer.write(data.upper())
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        reader, writer = await asyncio.open_connection(host, port)

        async def write():
            for _ in range(50):
                writer.write(b"abc" * 10_000)
                await writer.drain()
            writer.write_eof()

        writing = asyncio.create_task(write())
        data = await reader.read()
        await writing
        writer.close()
        await writer.wait_closed()
    await answer(send, f"{data == b'ABC' * 500_000}")


async def refused(scope, receive, send):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    try:
        await asyncio.open_connection("127.0.0.1", port)
    except ConnectionRefusedError:
        await answer(send, "refused")


async def itself(scope, receive, send):
    """A request to the server that it runs in."""
    reader, writer = await asyncio.open_connection(*scope["server"])
    writer.write(b"GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    data = await reader.read()
    writer.close()
    await answer(send, data.rpartition(b"\r\n\r\n")[2])


async def datagrams(scope, receive, send):
    loop, came = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    class Protocol(asyncio.DatagramProtocol):
        def datagram_received(self, data, addr):
            came.set_result(data)

    receiver, _ = await loop.create_datagram_endpoint(Protocol, local_addr=("127.0.0.1", 0))
    sender, _ = await loop.create_datagram_endpoint(
        asyncio.DatagramProtocol, remote_addr=receiver.get_extra_info("sockname")
    )
    sender.sendto(b"datagram")
    data = await came
    receiver.close()
    sender.close()
    await answer(send, data)


async def names(scope, receive, send):
    found = await asyncio.get_running_loop().getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)
    await answer(send, f"{bool(found)}")


async def timers(scope, receive, send):
    """call_later, call_at and call_soon in their order, and a cancelled one never (uvloop counts in milliseconds)."""
    loop, found, done = asyncio.get_running_loop(), [], asyncio.get_running_loop().create_future()
    now = loop.time()
    loop.call_at(now + 0.03, found.append, "3")
    loop.call_at(now + 0.01, found.append, "1")
    loop.call_later(0.02, found.append, "2").cancel()
    loop.call_at(now + 0.05, done.set_result, None)
    loop.call_soon(found.append, "0")
    await done
    await answer(send, "".join(found) + f" {loop.time() >= now + 0.045}")


async def from_a_thread(scope, receive, send):
    loop, came = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()
    threading.Thread(target=lambda: loop.call_soon_threadsafe(came.set_result, "from a thread")).start()
    await answer(send, await came)


async def coroutine_from_a_thread(scope, receive, send):
    loop = asyncio.get_running_loop()

    def work():
        return asyncio.run_coroutine_threadsafe(asyncio.sleep(0.001, "threadsafe"), loop).result(20)

    await answer(send, await asyncio.to_thread(work))


async def queues(scope, receive, send):
    queue, lock, condition = asyncio.Queue(1), asyncio.Lock(), asyncio.Condition()

    async def produce():
        for number in range(20):
            await queue.put(number)
        async with condition:
            condition.notify_all()

    async with condition:
        producing = asyncio.create_task(produce())
        found = [await queue.get() for _ in range(20)]
        await condition.wait()
    async with lock:
        await producing
    await answer(send, sum(found))


async def generator(scope, receive, send):
    """Asynchronous generators are finished by the loop's hooks, also those that were left in the middle."""
    closed = []

    async def numbers():
        try:
            for number in range(10):
                yield number
                await asyncio.sleep(0)
        finally:
            closed.append(True)

    async for number in numbers():
        if number == 3:
            break
    gc.collect()
    for _ in range(10):
        await asyncio.sleep(0)
    await answer(send, f"{closed}")


async def loop_facts(scope, receive, send):
    loop = asyncio.get_running_loop()
    facts = {
        "module": type(loop).__module__.partition(".")[0],
        "running": loop.is_running(),
        "closed": loop.is_closed(),
        "policy": asyncio.get_event_loop() is loop,
        "asyncio": isinstance(loop, asyncio.AbstractEventLoop),
    }
    await answer(send, facts)


async def exception_handler(scope, receive, send):
    """A callback that raises goes to the loop's exception handler, and nobody else is harmed."""
    loop, told = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda loop, context: told.set_result(repr(context["exception"])))

    def fail():
        raise LookupError("in a callback")

    loop.call_soon(fail)
    text = await told
    loop.set_exception_handler(before)
    await answer(send, text)


# ---- context variables


async def context(scope, receive, send):
    """What the variable is; sets it as ?set= says, before or after a turn (?awaits=)."""
    for _ in range(int(arguments(scope).get("awaits", "0"))):
        await asyncio.sleep(0)
    before = variable.get()
    variable.set(arguments(scope)["set"])
    for _ in range(int(arguments(scope).get("awaits", "0"))):
        await asyncio.sleep(0)
    await answer(send, before)


async def context_of_children(scope, receive, send):
    """The variable across awaits, in child tasks, callbacks, threads; a child's change stays its own."""
    loop, found = asyncio.get_running_loop(), []
    variable.set("parent")

    async def child():
        found.append(variable.get())
        variable.set("child")

    await asyncio.create_task(child())
    called = loop.create_future()
    loop.call_soon(lambda: called.set_result(variable.get()))
    found.append(await called)
    found.append(await asyncio.to_thread(variable.get))
    await asyncio.sleep(0.001)
    found.append(variable.get())
    await receive()
    found.append(variable.get())
    await answer(send, " ".join(found))


async def context_in_a_stream(scope, receive, send):
    """The variable after sends that had to wait."""
    variable.set("streaming")
    await send({"type": "http.response.start", "status": 200})
    for _ in range(100):
        await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
        assert variable.get() == "streaming"
    await send({"type": "http.response.body", "body": variable.get().encode()})


# ---- work after the answer


async def background(scope, receive, send):
    await answer(send, b"answered")
    await gate(scope)
    note(scope, "done in the background")


async def background_task(scope, receive, send):
    task = asyncio.create_task(gate(scope))
    _background.add(task)
    task.add_done_callback(lambda task: (_background.discard(task), note(scope, "task done")))
    await answer(send, b"answered")


_background = set()


async def task_that_fails(scope, receive, send):
    """A task of the application's whose exception nobody looks at: asyncio logs it."""

    async def fail():
        raise LookupError("nobody looked at " + arguments(scope)["id"])

    task = asyncio.create_task(fail())
    await asyncio.wait({task})
    await answer(send, b"answered")
    del task
    gc.collect()


# ---- applications that misbehave (A16, A17)


class Odd(BaseException):
    """Neither an Exception nor one that asyncio knows."""


def recurse():
    return recurse() + 1


async def misbehaves(scope, receive, send):
    """?how=, after so many turns (?awaits=)."""
    for _ in range(int(arguments(scope)["awaits"])):
        await asyncio.sleep(0)
    how = arguments(scope)["how"]
    if how == "exit":
        sys.exit(5)
    if how == "recursion":
        recurse()
    raise {
        "memory": MemoryError,
        "base": Odd,
        "generator exit": GeneratorExit,
        "stop": StopAsyncIteration,
    }[how]("misbehaved")


async def blocks(scope, receive, send):
    """Blocks the loop until the test lets go of a file."""
    with open(arguments(scope)["fifo"]):
        await answer(send, b"went on")


# ---- applications that are no coroutine functions


def as_future(scope, receive, send):
    return asyncio.ensure_future(answer(send, b"a future"))


class Endpoint:
    """As Starlette's HTTPEndpoint: a class whose instances are awaited."""

    def __init__(self, scope, receive, send):
        self.send = send

    def __await__(self):
        return answer(self.send, b"an endpoint").__await__()


class Callable:
    async def __call__(self, scope, receive, send):
        with contextlib.suppress(Exception):
            await answer(send, b"a callable object")


def as_nothing(scope, receive, send):
    return None


app = router(globals() | {"callable": Callable()})
plain = router({"as_future": as_future})


def future_app(scope, receive, send):
    """An application that is a plain function and returns a future."""
    return as_future(scope, receive, send)


def nothing_app(scope, receive, send):
    """Forgot its async."""
