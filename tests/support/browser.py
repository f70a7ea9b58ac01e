"""Chromium for tests, without a window and without a network: driven by the DevTools protocol over a WebSocket.

    with Browser() as browser:
        page = browser.open("http://127.0.0.1:8000/docs")
        page.wait_for("document.querySelector('.opblock')")
        page.requests       the addresses that the page asked for
        page.problems       what the browser complained of: errors, refusals of the page's policy, files that failed

Only 127.0.0.1 is resolved, so an address of another host is an entry in `problems`.
"""

import json
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from websockets.sync.client import ClientConnection, connect

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DEADLINE_S = 60.0
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root, in a container
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
    "--window-size=1200,1600",
)


class Browser:
    def __init__(self) -> None:
        assert PROGRAM is not None
        self.open_sockets = ExitStack()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [PROGRAM, *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.search(r"DevTools listening on (ws://\S+)", line):
                self.address = found[1]
                return
        raise AssertionError("Chromium ended before it listened")

    def open(self, address: str) -> "Page":
        """A page, which has begun to load."""
        return Page(self.open_sockets.enter_context(connect(self.address, max_size=None)), address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.open_sockets.close()
        self.process.kill()
        self.process.communicate()
        self.profile.cleanup()


class Page:
    def __init__(self, socket: ClientConnection, address: str) -> None:
        self.socket = socket
        self.count = 0
        self.session: str | None = None
        self.requests: list[str] = []
        self.problems: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=address)

    def call(self, method: str, **params: Any) -> Any:
        """A command of the protocol, and its result. What comes before that is noted."""
        self.count += 1
        session = {"sessionId": self.session} if self.session else {}
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params, **session}))
        while True:
            message = json.loads(self.socket.recv(DEADLINE_S))
            if message.get("id") == self.count:
                assert "error" not in message, message["error"]
                return message["result"]
            self.note(message.get("method"), message.get("params"))

    def note(self, event: str, params: Any) -> None:
        if event == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif event == "Network.loadingFailed":
            self.problems.append(params.get("blockedReason") or params["errorText"])
        elif event == "Runtime.exceptionThrown":
            self.problems.append(str(params["exceptionDetails"].get("exception", params)))
        elif event == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"{params['entry']['text']} {params['entry'].get('url', '')}".rstrip())
        elif event == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.problems.append(" ".join(str(item.get("value")) for item in params["args"]))

    def value(self, expression: str) -> Any:
        """What JavaScript makes of an expression; a promise is awaited."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Until an expression is true."""
        end = time.monotonic() + DEADLINE_S
        while not self.value(f"!!({condition})"):
            shown = "" if time.monotonic() < end else self.value("document.body.innerText")
            assert time.monotonic() < end, f"not within {DEADLINE_S:g} s: {condition}; {self.problems}; {shown}"
            time.sleep(0.05)

    def picture(self) -> bytes:
        """The page as PNG, for those who look into a failure."""
        import base64

        return base64.b64decode(self.call("Page.captureScreenshot")["data"])
