"""run.py: the ladder: what each hop of a request costs: requests/s, CPU time and instructions of each.

    make bench                          the whole table
    make bench ARGS=--quick             instructions only: repeatable, and what the budgets are for
    make bench ARGS="--rungs raw wsgi"  only these
    make bench ARGS="--quick --write-budgets"   what was counted, and 3 % more, into budgets.toml

Fails when a rung needs more instructions than bench/budgets.toml allows. README.md says what the rungs are.
"""

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build/bench"
BUDGETS = HERE / "budgets.toml"
SLACK = 1.03
CONNECTIONS = "32"
TARGET = "/hello?name=world"
ROUTED = "/repos/octocat/hello-world/issues/1347"
FIELDS = {"User-Agent": "curl/8.0", "Accept": "*/*"}
ORDER = json.dumps(
    {"id": 7, "customer": "Ada Lovelace", "items": [{"name": f"Card {n}", "price": n / 4, "qty": n} for n in range(5)]}
)
FEW, MANY = 300, 1500  # requests under callgrind; the difference leaves start and end out
PATIENCE = 60  # seconds for a server to come up, under callgrind too


@dataclass(frozen=True)
class Rung:
    name: str
    what: str
    command: list[str]  # FD stands for the listening socket's descriptor
    python: bool = False
    target: str = TARGET
    status: int = 200
    post: str = ""  # JSON


def python_rung(*words: str) -> list[str]:
    return [sys.executable, *words]


NATIVE = ("-m", "lanner", "run", "bare_native:app", "--app-dir", str(HERE), "--fd", "FD")
PYTHON_RUNG = f"import sys; sys.path.insert(0, {str(BUILD / 'bench')!r})\n" + (
    "import python_rung\ndef hello(): return b'Hello, world!\\n'\npython_rung.serve(int(sys.argv[1]), hello)"
)
LADDER = str(BUILD / "bench/ladder")
RUNGS = [
    Rung("raw", "read, find the empty line, write a constant", [LADDER, "raw", "FD"]),
    Rung("parse", "+ the head is parsed and checked", [LADDER, "parse", "FD"]),
    Rung("session", "+ the state machine; the answer's head is built", [LADDER, "session", "FD"]),
    Rung("exchange", "+ the server with a handler in C++", [LADDER, "exchange", "FD"]),
    Rung("router", "+ a route is sought among 10", [LADDER, "router", "FD"], target=ROUTED),
    Rung("router-10k", "a route is sought among 10,000", [LADDER, "router-10k", "FD"], target=ROUTED),
    Rung("python", "+ the GIL, and a call of a Python function", python_rung("-c", PYTHON_RUNG, "FD"), python=True),
    Rung(
        "wsgi",
        "+ WSGI: environ, start_response, an iterable",
        python_rung("-m", "lanner", "run", "bare_wsgi:app", "--app-dir", str(HERE), "--fd", "FD"),
        python=True,
    ),
    Rung(
        "asgi",
        "ASGI instead of WSGI: scope, a task, two messages",
        python_rung("-m", "lanner", "run", "bare_asgi:app", "--app-dir", str(HERE), "--fd", "FD"),
        python=True,
    ),
    Rung(
        "asgi-suspends",
        "+ the task waits once (asyncio.sleep(0))",
        python_rung("-m", "lanner", "run", "bare_asgi:suspends", "--app-dir", str(HERE), "--fd", "FD"),
        python=True,
    ),
    Rung("native", "a lanner.App: a def that returns a str", python_rung(*NATIVE), python=True),
    Rung("native-async", "the same as async def", python_rung(*NATIVE), python=True, target="/async"),
    Rung("native-cards", "100 dataclasses, 10 KB of JSON", python_rung(*NATIVE), python=True, target="/cards"),
    Rung("native-order", "JSON into dataclasses, and back", python_rung(*NATIVE), True, "/order", post=ORDER),
    Rung("native-404", "no route: without Python", python_rung(*NATIVE), True, "/nope", 404),
    Rung(
        "native-422", "a refused int of the query: without Python", python_rung(*NATIVE), True, "/limited?limit=x", 422
    ),
]


class BenchError(Exception):
    pass


def run(*command: str | Path) -> str:
    """Its output; shown when it fails."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except FileNotFoundError:
        raise BenchError(f"{words[0]} is missing: tools/setup.sh bench installs what is needed") from None
    if done.returncode != 0:
        raise BenchError(f"{' '.join(words)} failed:\n{done.stdout}")
    return done.stdout


def build() -> None:
    flags = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DLANNER_BENCH=ON"]
    run("cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", *flags, f"-DPython_EXECUTABLE={sys.executable}")
    run("cmake", "--build", BUILD, "--target", "ladder", "micro", "python_rung")


# ---- a server and its clients


def request(rung: Rung) -> bytes:
    fields = {"Host": "127.0.0.1"} | FIELDS
    if rung.post:
        fields |= {"Content-Type": "application/json", "Content-Length": str(len(rung.post))}
    lines = [f"{name}: {value}\r\n" for name, value in fields.items()]
    return "".join([f"{method(rung)} {rung.target} HTTP/1.1\r\n", *lines, "\r\n", rung.post]).encode()


def method(rung: Rung) -> str:
    return "POST" if rung.post else "GET"


def size_of(answer: bytes) -> int | None:
    """How long the answer will be; None: its head is not complete."""
    head, end, _ = answer.partition(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: (\d+)", head, re.IGNORECASE)
    return len(head) + 4 + int(length[1] if length else 0) if end else None


def ask(connection: socket.socket, rung: Rung, size: int | None) -> int:
    """One request and its answer, of `size` bytes if that is known already; returns its size."""
    connection.sendall(request(rung))
    answer = b""
    known = size
    while size is None or len(answer) < size:
        part = connection.recv(65536)
        if not part:
            raise BenchError(f"the server closed the connection after {answer!r}")
        answer += part
        size = size or size_of(answer)
    if known is None and not answer.startswith(b"HTTP/1.1 %d " % rung.status):
        raise BenchError(f"not the answer that was to be measured: {answer!r}")
    return size


class Served:
    """A rung's server. It listens before it runs, so nobody has to wait for it."""

    def __init__(self, rung: Rung, *before: str) -> None:
        self.log = BUILD / f"{rung.name}.log"
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener, self.log.open("wb") as output:
            self.address = listener.getsockname()
            self.rung = rung
            fd = listener.fileno()
            words = [*before, *(str(fd) if word == "FD" else word for word in rung.command)]
            environment = os.environ | {"PYTHONHASHSEED": "0"}
            self.process = subprocess.Popen(
                words, pass_fds=[fd], stdout=output, stderr=output, env=environment, cwd=HERE
            )

    def cpu_ns(self) -> int:
        """What it has used so far, of its main thread."""
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0])

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def served(rung: Rung, *before: str) -> Iterator[Served]:
    server = Served(rung, *before)
    try:
        yield server
        if server.process.poll() is not None:
            raise BenchError(f"{rung.name} ended by itself:\n{server.log.read_text()}")
    except OSError as error:
        raise BenchError(f"{rung.name} does not answer ({error}):\n{server.log.read_text()}") from error
    finally:
        server.end()


@contextmanager
def connected(server: Served) -> Iterator[tuple[socket.socket, int]]:
    """A connection on which one answer, of that many bytes, was given."""
    with socket.create_connection(server.address, timeout=PATIENCE) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection, ask(connection, server.rung, None)


# ---- what is measured


def cores() -> tuple[str, str]:
    """One for the server, another for the load."""
    usable = sorted(os.sched_getaffinity(0))
    return str(usable[0]), str(usable[-1])


@dataclass(frozen=True)
class Speed:
    per_second: float
    cpu_us: float  # of the server, for one request, in user space and kernel


def wrk_script(rung: Rung) -> Path:
    """What makes wrk post the rung's JSON."""
    script = BUILD / f"{rung.name}.lua"
    fields = 'wrk.headers["Content-Type"] = "application/json"\n'
    script.write_text(f'wrk.method = "{method(rung)}"\n{fields}wrk.body = [[{rung.post}]]\n', "utf-8")
    return script


def rate(rung: Rung, seconds: int) -> Speed:
    """On one core, by a load generator on the other."""
    server_core, load_core = cores()
    fields = [word for name, value in FIELDS.items() for word in ("-H", f"{name}: {value}")]
    with served(rung, "taskset", "-c", server_core) as server:
        with connected(server):
            pass
        url = "http://{}:{}".format(*server.address) + rung.target
        script = ["-s", str(wrk_script(rung))] if rung.post else []
        words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", *script, *fields, url]
        before_ns = server.cpu_ns()
        text = run("taskset", "-c", load_core, *words)
        used_ns = server.cpu_ns() - before_ns
    per_second = re.search(r"Requests/sec:\s+([\d.]+)", text)
    total = re.search(r"(\d+) requests in", text)
    refused = "Non-2xx" in text and rung.status == 200
    if not per_second or not total or refused or "Socket errors" in text:
        raise BenchError(f"{rung.name} did not serve all requests:\n{text}")
    return Speed(float(per_second[1]), used_ns / 1000 / int(total[1]))


def count(rung: Rung, requests: int) -> int:
    """Instructions of a whole process that answers so many requests, one after the other."""
    out = BUILD / "callgrind.out"
    out.unlink(missing_ok=True)
    with (
        served(rung, "valgrind", "--tool=callgrind", f"--callgrind-out-file={out}") as server,
        connected(server) as (connection, size),
    ):
        for _ in range(requests - 1):
            ask(connection, rung, size)
    found = re.search(r"^(?:summary|totals): (\d+)", out.read_text() if out.exists() else "", re.MULTILINE)
    if not found:
        raise BenchError(f"callgrind counted nothing: {server.log.read_text()}")
    return int(found[1])


def instructions(rung: Rung) -> int:
    return round((count(rung, MANY) - count(rung, FEW)) / (MANY - FEW))


# ---- budgets: they hold for the tools that they were counted with


def tools() -> dict[str, str]:
    gcc = run("c++", "-dumpversion").strip()
    return {"compiler": gcc.split(".")[0], "python": f"{sys.version_info.major}.{sys.version_info.minor}"}


def budgets() -> dict[str, int]:
    if not BUDGETS.exists():
        return {}
    known = tomllib.loads(BUDGETS.read_text("utf-8"))
    made_with, here = known["made_with"], tools()
    same = {name for name in here if made_with[name] == here[name]}
    return {
        rung.name: known["instructions"][rung.name]
        for rung in RUNGS
        if rung.name in known["instructions"] and "compiler" in same and (not rung.python or "python" in same)
    }


def write_budgets(counted: dict[str, int]) -> None:
    lines = [
        "# What a request may cost: instructions in user space, as callgrind counts them (bench/README.md).",
        '# Written by `make bench ARGS="--quick --write-budgets"`. Raise one only with a reason in the commit.',
        "",
        "[made_with] # other versions make other code: then nothing is gated",
        *(f'{name} = "{version}"' for name, version in tools().items()),
        "",
        "[instructions]",
        *(f"{name} = {-int(-number * SLACK // 10) * 10}" for name, number in counted.items()),
    ]
    BUDGETS.write_text("\n".join(lines) + "\n", "utf-8")


# ---- the table


def show(rungs: list[Rung], speeds: dict[str, Speed], counted: dict[str, int], allowed: dict[str, int]) -> bool:
    """True: within the budgets."""
    titles = f"{'requests/s':>11} {'CPU us':>7} {'x raw':>6} {'instructions':>13} {'budget':>8}"
    print(f"\n{'rung':13} {titles}  {'':4} what")
    raw = speeds.get("raw")
    within = True
    for rung in rungs:
        speed, number, budget = speeds.get(rung.name), counted[rung.name], allowed.get(rung.name)
        ok = budget is None or number <= budget
        within = within and ok
        print(
            f"{rung.name:13}",
            f"{speed.per_second:>11,.0f} {speed.cpu_us:>7.2f}" if speed else f"{'-':>11} {'-':>7}",
            f"{speed.cpu_us / raw.cpu_us:>6.2f}" if speed and raw else f"{'-':>6}",
            f"{number:>13,} {f'{budget:,}' if budget else '-':>8} ",
            f"{'-' if budget is None else 'ok' if ok else 'OVER':4} {rung.what}",
        )
    return within


def speeds_of(rungs: list[Rung], rounds: int, seconds: int) -> dict[str, Speed]:
    """The median round of each. Interleaved: the machine's moods hit all rungs alike."""
    if cores()[0] == cores()[1]:
        print("one core only: server and load share it; take requests/s as a rank, not as a number")
    measured: dict[str, list[Speed]] = {rung.name: [] for rung in rungs}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds} ...", flush=True)
        for rung in rungs:
            measured[rung.name].append(rate(rung, seconds))
    return {
        name: Speed(
            statistics.median(one.per_second for one in speeds), statistics.median(one.cpu_us for one in speeds)
        )
        for name, speeds in measured.items()
    }


def measure(options: argparse.Namespace) -> bool:
    rungs = [rung for rung in RUNGS if not options.rungs or rung.name in options.rungs]
    build()
    counted = {}
    for rung in rungs:
        print(f"counting {rung.name} ...", flush=True)
        counted[rung.name] = instructions(rung)
    speeds = {} if options.quick else speeds_of(rungs, options.rounds, options.seconds)
    if options.write_budgets:
        write_budgets(counted)
    within = show(rungs, speeds, counted, budgets())
    if not options.quick:
        print("\n" + run(BUILD / "bench/micro"))
    return within


def main() -> int:
    parser = argparse.ArgumentParser(description="What each hop of a request costs.")
    parser.add_argument("--quick", action="store_true", help="instructions only")
    parser.add_argument("--rungs", nargs="+", choices=[rung.name for rung in RUNGS], help="only these")
    parser.add_argument("--rounds", type=int, default=3, help="of requests/s; the median counts [3]")
    parser.add_argument("--seconds", type=int, default=2, help="of each round [2]")
    parser.add_argument("--write-budgets", action="store_true", help="budgets.toml from what is counted")
    options = parser.parse_args()
    if options.write_budgets and options.rungs:
        parser.error("budgets are written of all rungs at once")
    try:
        within = measure(options)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    if not within:
        print("bench: over the budget; bench/README.md says how to find where it goes", file=sys.stderr)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
