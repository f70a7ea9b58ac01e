"""loop_echo.py: what an echo costs on each event loop: by protocols, streams and sockets; small and large messages.

    .venv/bin/python bench/loop_echo.py                               all: two minutes
    .venv/bin/python bench/loop_echo.py --ways sockets --sizes 1000   only that
    .venv/bin/python bench/loop_echo.py --rounds 9 --seconds 0.5      [these]

Servers run on the first core, the client, plain blocking sockets, on the last. CPU: of the server, for one message in
and out. README.md says how to read it.
"""

import argparse
import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import loop_rounds
from loop_rounds import LOOPS, Pairs

WAYS = ("protocols", "streams", "sockets")
SIZES = (1000, 100_000)
CONNECTIONS = 10
ROOM = 1 << 20  # of a socket's buffers: a whole message fits, so that nobody waits for the other's reading

# ---- the servers


class Echo(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self.transport.write(data)


async def echo_stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(ROOM):
        writer.write(data)
        await writer.drain()
    writer.close()


async def echo_socket(client: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    with client:
        while data := await loop.sock_recv(client, ROOM):
            await loop.sock_sendall(client, data)


async def serve(way: str, listener: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    if way == "protocols":
        await (await loop.create_server(Echo, sock=listener)).serve_forever()
    if way == "streams":
        await (await asyncio.start_server(echo_stream, sock=listener, limit=ROOM)).serve_forever()
    tasks = set()
    while True:
        client, _ = await loop.sock_accept(listener)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = loop.create_task(echo_socket(client))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


# ---- the client


class Client:
    """A server in a process of its own, and connections to it."""

    def __init__(self, loop: str, way: str) -> None:
        self.loop = loop
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.address = listener.getsockname()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ROOM)
            words = [sys.executable, __file__, "--serve", loop, way, str(listener.fileno())]
            core = str(loop_rounds.cores()[0])
            self.process = subprocess.Popen(
                ["taskset", "-c", core, *words], pass_fds=[listener.fileno()], env=loop_rounds.environment()
            )
        self.sockets = [self.connect() for _ in range(CONNECTIONS)]

    def connect(self) -> socket.socket:
        made = socket.create_connection(self.address, 20)
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            made.setsockopt(socket.SOL_SOCKET, option, ROOM)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def echo(self, message: bytes, room: memoryview, seconds: float) -> tuple[int, float]:
        """How many came back, and in what time. One message at a time is on its way on each connection."""
        began = time.perf_counter()
        count = 0
        while (took := time.perf_counter() - began) < seconds:
            for one in self.sockets:
                one.sendall(message)
            for one in self.sockets:
                left = len(message)
                while left:
                    left -= one.recv_into(room, left) or self.fail()
            count += len(self.sockets)
        return count, took

    def fail(self) -> int:
        raise SystemExit(f"{self.loop} closed the connection")

    def end(self) -> None:
        for one in self.sockets:
            one.close()
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def clients(way: str) -> Iterator[list[Client]]:
    made: list[Client] = []
    try:
        for loop in LOOPS:
            made.append(Client(loop, way))
        yield made
    finally:
        for client in made:
            client.end()


def measure(way: str, size: int, rounds: int, seconds: float) -> Pairs:
    message, room = os.urandom(size), memoryview(bytearray(ROOM))
    pairs = Pairs(f"{way}, {size // 1000} KB", "message")
    with clients(way) as made:
        for number in range(-1, rounds):
            order = made if number % 2 else made[::-1]
            for client in order:
                before = loop_rounds.cpu_ns(client.process.pid)
                count, took = client.echo(message, room, seconds if number >= 0 else 0.2)
                used = loop_rounds.cpu_ns(client.process.pid) - before
                if number >= 0:  # the first is for warming up
                    pairs.add(client.loop, count, took, used)
    return pairs


def main() -> int:
    parser = argparse.ArgumentParser(description="Echo servers on each event loop.")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="bytes of a message")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a round")
    parser.add_argument("--serve", nargs=3, metavar=("LOOP", "WAY", "FD"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        loop, way, fd = options.serve
        listener = socket.socket(fileno=int(fd))
        listener.setblocking(False)
        loop_rounds.run(loop, serve(way, listener))
        return 0
    os.sched_setaffinity(0, {loop_rounds.cores()[1]})
    loop_rounds.show(
        "message", [measure(w, s, options.rounds, options.seconds) for w in options.ways for s in options.sizes]
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
