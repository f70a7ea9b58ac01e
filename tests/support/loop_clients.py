"""What handlers wait for in earnest: each function works with one real library, or one part of asyncio, and says "ok".

Served: `lanner run loop_clients:app`, /NAME runs NAME inside a handler.
Alone: `python loop_clients.py [NAME ...]` runs them on lanner.loop.run(), without a server.
The environment has $TEST_POSTGRES (a DSN) and $TEST_REDIS (a path) where a service is needed.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

MEGABYTE = bytes(range(256)) * 4096

Check = Callable[[], Awaitable[None]]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    CHECKS[function.__name__] = function
    return function


def same(found: object, expected: object) -> None:
    if found != expected:
        raise AssertionError(f"{found!r:.200} is not {expected!r:.200}")


# ---- clients of HTTP and WebSocket


@contextlib.asynccontextmanager
async def site() -> AsyncIterator[str]:
    """aiohttp's server, in the same loop."""
    from aiohttp import web

    async def hello(request: web.Request) -> web.Response:
        return web.Response(text=f"hello {request.query.get('name')}")

    async def echo(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        async for part in request.content.iter_any():
            await answer.write(part)
        return answer

    async def never(request: web.Request) -> web.Response:
        await asyncio.sleep(3600)
        raise AssertionError

    served = web.Application(client_max_size=1 << 24)
    served.add_routes([web.get("/hello", hello), web.post("/echo", echo), web.get("/never", never)])
    runner = web.AppRunner(served, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    place = web.TCPSite(runner, "127.0.0.1", 0)
    await place.start()
    try:
        yield "http://{}:{}".format(*runner.addresses[0][:2])
    finally:
        await runner.cleanup()


@check
async def with_aiohttp() -> None:
    import aiohttp

    async with site() as url, aiohttp.ClientSession() as session:

        async def get(number: int) -> str:
            async with session.get(f"{url}/hello", params={"name": str(number)}) as answer:
                return await answer.text()

        same(await asyncio.gather(*map(get, range(50))), [f"hello {number}" for number in range(50)])
        async with session.post(f"{url}/echo", data=MEGABYTE) as answer:
            same(await answer.read(), MEGABYTE)
        try:
            await session.get(f"{url}/never", timeout=aiohttp.ClientTimeout(total=0.05))
        except TimeoutError:
            same(await get(1), "hello 1")
        else:
            raise AssertionError("no timeout")


@check
async def with_httpx() -> None:
    import httpx

    async def body() -> AsyncIterator[bytes]:
        for start in range(0, len(MEGABYTE), 50_000):
            yield MEGABYTE[start : start + 50_000]
            await asyncio.sleep(0)

    async with site() as url, httpx.AsyncClient(base_url=url, trust_env=False) as client:
        answers = await asyncio.gather(*(client.get("/hello", params={"name": number}) for number in range(20)))
        same([answer.text for answer in answers], [f"hello {number}" for number in range(20)])
        async with client.stream("POST", "/echo", content=body()) as answer:
            same(b"".join([part async for part in answer.aiter_bytes()]), MEGABYTE)
        try:
            await client.get("/never", timeout=0.05)
        except httpx.ReadTimeout:
            same((await client.get("/hello")).text, "hello None")
        else:
            raise AssertionError("no timeout")


@check
async def with_websockets() -> None:
    from websockets.asyncio.client import connect
    from websockets.asyncio.server import ServerConnection, serve
    from websockets.exceptions import ConnectionClosedError

    async def echo(connection: ServerConnection) -> None:
        async for message in connection:
            if message == "leave":
                return await connection.close(4000, "asked to")
            await connection.send(message)

    async def talk(port: int, number: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}", proxy=None) as connection:
            for turn in range(20):
                await connection.send(f"{number} {turn}")
                same(await connection.recv(), f"{number} {turn}")

    async with serve(echo, "127.0.0.1", 0, max_size=1 << 22) as server:
        port = server.sockets[0].getsockname()[1]
        await asyncio.gather(*(talk(port, number) for number in range(20)))
        async with connect(f"ws://127.0.0.1:{port}", max_size=1 << 22, proxy=None) as connection:
            await connection.send(MEGABYTE)
            same(await connection.recv(), MEGABYTE)
            await (await connection.ping())
            await connection.send("leave")
            try:
                await connection.recv()
            except ConnectionClosedError as error:
                same(error.rcvd and error.rcvd.code, 4000)


# ---- databases


@check
async def with_psycopg() -> None:
    import psycopg

    dsn = os.environ["TEST_POSTGRES"]

    async def work(number: int) -> int:
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
            total = 0
            for turn in range(20):
                cursor = await connection.execute("select %s::int * %s::int", (number, turn))
                row = await cursor.fetchone()
                total += row[0] if row else 0
            return total

    same(await asyncio.gather(*map(work, range(10))), [number * 190 for number in range(10)])
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        await connection.execute("create temp table t (n int, body bytea)")
        async with connection.cursor() as cursor:
            await cursor.executemany("insert into t values (%s, %s)", [(n, MEGABYTE[:1000]) for n in range(100)])
            async with cursor.copy("copy t (n) from stdin") as copy:
                for n in range(100, 5000):
                    await copy.write_row((n,))
            await cursor.execute("select count(*), sum(n), sum(length(body)) from t")
            same(await cursor.fetchone(), (5000, 12_497_500, 100_000))
            await cursor.execute("select %s::bytea", (MEGABYTE,))
            same(await cursor.fetchone(), (MEGABYTE,))
        try:
            async with asyncio.timeout(0.05):
                await connection.execute("select pg_sleep(3600)")
        except TimeoutError:
            cursor = await connection.execute("select 'alive'")
            same(await cursor.fetchone(), ("alive",))


@check
async def with_notifications() -> None:
    import psycopg

    dsn = os.environ["TEST_POSTGRES"]
    channel = f"c{time.monotonic_ns()}"
    async with (
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as listens,
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as tells,
    ):
        await listens.execute(f"listen {channel}")

        async def hear() -> list[str]:
            return [notice.payload async for notice in listens.notifies(stop_after=3)]

        hearing = asyncio.create_task(hear())
        for word in ("one", "two", "three"):
            await tells.execute("select pg_notify(%s, %s)", (channel, word))
        same(await hearing, ["one", "two", "three"])


@check
async def with_redis() -> None:
    from redis.asyncio import Redis

    key = f"k{time.monotonic_ns()}"
    async with Redis(unix_socket_path=os.environ["TEST_REDIS"]) as client:
        same(sorted(await asyncio.gather(*(client.incr(key) for _ in range(50)))), list(range(1, 51)))
        async with client.pipeline() as pipeline:
            for number in range(100):
                pipeline.rpush(f"{key}:list", number)
            pipeline.lrange(f"{key}:list", 0, -1)
            same((await pipeline.execute())[-1], [str(number).encode() for number in range(100)])
        await client.set(f"{key}:large", MEGABYTE)
        same(await client.get(f"{key}:large"), MEGABYTE)
        waiting = asyncio.create_task(client.blpop([f"{key}:queue"], timeout=30))
        async with client.pubsub() as channel:
            await channel.subscribe(f"{key}:news")
            same((await channel.get_message(timeout=30) or {})["type"], "subscribe")
            await client.publish(f"{key}:news", "extra")
            same((await channel.get_message(timeout=30) or {})["data"], b"extra")
        await client.rpush(f"{key}:queue", "job")
        same(await waiting, (f"{key}:queue".encode(), b"job"))


# ---- what asyncio has itself


@check
async def with_subprocesses() -> None:
    pipe = asyncio.subprocess.PIPE

    async def through_cat(data: bytes) -> bytes:
        child = await asyncio.create_subprocess_exec("cat", stdin=pipe, stdout=pipe)
        out, _ = await child.communicate(data)
        same(child.returncode, 0)
        return out

    same(await asyncio.gather(through_cat(MEGABYTE), *(through_cat(b"x") for _ in range(9))), [MEGABYTE] + [b"x"] * 9)
    child = await asyncio.create_subprocess_shell("echo out; echo err >&2; exit 3", stdout=pipe, stderr=pipe)
    same(await child.communicate(), (b"out\n", b"err\n"))
    same(child.returncode, 3)
    child = await asyncio.create_subprocess_exec("sleep", "3600")
    try:
        async with asyncio.timeout(0.02):
            await child.wait()
    except TimeoutError:
        child.kill()
    same(await child.wait(), -signal.SIGKILL)


@check
async def with_signals() -> None:
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, told.set)
    try:
        for _ in range(20):
            os.kill(os.getpid(), signal.SIGUSR1)
            await told.wait()
            told.clear()
    finally:
        same(loop.remove_signal_handler(signal.SIGUSR1), True)


@check
async def with_names() -> None:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo("localhost", 80, family=socket.AF_INET, type=socket.SOCK_STREAM)
    same(found[0][4], ("127.0.0.1", 80))
    same(await loop.getnameinfo(("127.0.0.1", 80), socket.NI_NUMERICHOST | socket.NI_NUMERICSERV), ("127.0.0.1", "80"))
    try:
        await loop.getaddrinfo("name.invalid", 80, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        return
    raise AssertionError("no error")


@check
async def with_pipes() -> None:
    loop = asyncio.get_running_loop()
    read_end, write_end = os.pipe()
    reader = asyncio.StreamReader()
    with open(read_end, "rb", 0) as source, open(write_end, "wb", 0) as sink:
        incoming, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
        outgoing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, sink)
        outgoing.write(MEGABYTE)
        same(await reader.readexactly(len(MEGABYTE)), MEGABYTE)
        outgoing.close()
        same(await reader.read(), b"")
        incoming.close()


async def echo_lines(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    async for line in reader:
        writer.write(line)
        await writer.drain()
    writer.close()


@check
async def with_unix_sockets() -> None:
    with tempfile.TemporaryDirectory(prefix="lanner-") as place:
        server = await asyncio.start_unix_server(echo_lines, f"{place}/s")

        async def talk(number: int) -> None:
            reader, writer = await asyncio.open_unix_connection(f"{place}/s")
            for turn in range(10):
                writer.write(f"{number} {turn}\n".encode())
                same(await reader.readline(), f"{number} {turn}\n".encode())
            writer.write_eof()
            same(await reader.read(), b"")
            writer.close()
            await writer.wait_closed()

        await asyncio.gather(*map(talk, range(20)))
        server.close()
        await server.wait_closed()


class Collects(asyncio.DatagramProtocol):
    """Answers what comes from others in upper case, and keeps it."""

    def __init__(self, answers: bool) -> None:
        self.answers = answers
        self.found: asyncio.Queue[bytes] = asyncio.Queue()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, address: Any) -> None:
        self.found.put_nowait(data)
        if self.answers:
            self.transport.sendto(data.upper(), address)


@check
async def with_datagrams() -> None:
    loop = asyncio.get_running_loop()
    answers, server = await loop.create_datagram_endpoint(lambda: Collects(True), local_addr=("127.0.0.1", 0))
    place = answers.get_extra_info("sockname")
    asks, client = await loop.create_datagram_endpoint(lambda: Collects(False), remote_addr=place)
    for number in range(100):
        asks.sendto(f"datagram {number}".encode())
        same(await client.found.get(), f"DATAGRAM {number}".encode())
    same(server.found.qsize(), 100)
    asks.close()
    answers.close()


@check
async def with_sockets() -> None:
    """sock_*: 1 MB each way, partial reads, and a peer that leaves."""
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
        for one in (listener, client):
            one.setblocking(False)
        accepting = asyncio.create_task(loop.sock_accept(listener))
        await loop.sock_connect(client, listener.getsockname())
        peer, _ = await accepting
        with peer:
            sending = asyncio.create_task(loop.sock_sendall(client, MEGABYTE))
            room = bytearray(70_000)
            found = bytearray()
            while len(found) < len(MEGABYTE):
                count = await loop.sock_recv_into(peer, room)
                found += room[:count]
            same(bytes(found), MEGABYTE)
            await sending
            waiting = asyncio.create_task(loop.sock_recv(client, 100))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait({waiting})
            same(waiting.cancelled(), True)
            await loop.sock_sendall(peer, b"last")
            same(await loop.sock_recv(client, 100), b"last")
        same(await loop.sock_recv(client, 100), b"")


@check
async def with_threads() -> None:
    loop = asyncio.get_running_loop()
    same(
        await asyncio.gather(*(asyncio.to_thread(pow, number, 2) for number in range(100))), [n * n for n in range(100)]
    )
    with ThreadPoolExecutor(3) as pool:
        same(await asyncio.gather(*(loop.run_in_executor(pool, abs, -n) for n in range(100))), list(range(100)))

        def ask_the_loop(number: int) -> int:
            return asyncio.run_coroutine_threadsafe(asyncio.sleep(0, number), loop).result(30)

        same(await asyncio.gather(*(loop.run_in_executor(pool, ask_the_loop, n) for n in range(50))), list(range(50)))


@check
async def with_timers() -> None:
    """In the order of their times, whatever the order of the calls."""
    loop, found = asyncio.get_running_loop(), []
    done = asyncio.Event()
    start = loop.time()
    for number in (7, 3, 9, 1, 5, 8, 2, 6, 4):
        loop.call_at(start + number / 1000, found.append, number)
    loop.call_at(start + 0.01, done.set)
    await done.wait()
    same(found, list(range(1, 10)))
    same(loop.time() >= start + 0.01 - 0.001, True)


async def outcome(name: str) -> str:
    try:
        await CHECKS[name]()
    except Exception:
        return traceback.format_exc()
    return "ok"


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    text = await outcome(scope["path"][1:])
    await send({"type": "http.response.start", "status": 200 if text == "ok" else 500})
    await send({"type": "http.response.body", "body": text.encode()})


async def all_of(names: list[str]) -> int:
    asyncio.get_running_loop().slow_callback_duration = 30  # debug mode has nothing to say, on a busy machine neither
    found = {name: await outcome(name) for name in names}
    for name, text in found.items():
        print(name, text)
    return 0 if set(found.values()) == {"ok"} else 1


if __name__ == "__main__":
    import lanner.loop

    sys.exit(lanner.loop.run(all_of(sys.argv[1:] or list(CHECKS))))
