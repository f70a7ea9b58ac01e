"""What a site must do behind the server, whatever framework it is written with: httpx and curl against each of them.

A test module sets APP and subclasses FrameworkChecks; sites in apps/*_site.py have the same paths.
"""

import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from server_process import APPS, ServerProcess
from wire_client import CutError, Wire, request

sys.path.append(str(APPS))
from shared_content import LINES, ZIPPED

MEGABYTE = 1 << 20


def curl(*arguments: str) -> bytes:
    """What curl prints; it must succeed."""
    done = subprocess.run(["curl", "-sS", "--max-time", "60", *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class Large:
    """A file of 50 MB."""

    def __init__(self, path: Path) -> None:
        self.path = path
        piece = hashlib.shake_256(b"lanner").digest(MEGABYTE)
        sha = hashlib.sha256()
        with path.open("wb") as file:
            for _ in range(50):
                file.write(piece)
                sha.update(piece)
        self.size = 50 * MEGABYTE
        self.sha256 = sha.hexdigest()

    def pieces(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            while piece := file.read(100_000):
                yield piece


class FrameworkChecks:
    """One class a framework. NAME is in its index; CHUNKED: it reads bodies without a Content-Length.

    With one thread chunked bodies have one: the server holds them whole.
    """

    NAME = ""
    CHUNKED = True

    @pytest.fixture
    def client(self, server: ServerProcess) -> Iterator[httpx.Client]:
        with httpx.Client(base_url=server.url, timeout=60) as client:
            yield client

    @pytest.fixture
    def frugal(self, server: ServerProcess, client: httpx.Client) -> Iterator[None]:
        """50 MB must not show in the server's memory."""
        client.post("/upload", files={"file": ("warm-up", b"x" * 100)})
        server.reset_peak()
        before = server.memory("VmHWM")
        yield
        assert server.memory("VmHWM") - before < 25 * MEGABYTE

    def test_index(self, client: httpx.Client) -> None:
        answer = client.get("/")
        assert answer.status_code == 200
        assert answer.text == f"index of {self.NAME}"
        assert answer.headers["content-length"] == str(len(answer.content))

    def test_form(self, client: httpx.Client) -> None:
        answer = client.post("/form", data={"name": "caf\xe9 & \u2603", "many": ["1", "2"], "empty": "x"})
        assert answer.json() == {"name": ["caf\xe9 & \u2603"], "many": ["1", "2"], "empty": ["x"]}

    def test_form_by_curl(self, server: ServerProcess) -> None:
        out = curl("-d", "name=one", "--data-urlencode", "note=two & three", server.url + "/form")
        assert json.loads(out) == {"name": ["one"], "note": ["two & three"]}

    def test_a_large_form(self, client: httpx.Client) -> None:
        """Over what one read of the socket gives, and over the memory kept for a body."""
        value = "x" * 400_000
        assert client.post("/form", data={"value": value}).json() == {"value": [value]}

    def test_json(self, client: httpx.Client) -> None:
        document = {"text": "caf\xe9 \u2603", "list": [1, 2.5, None, True], "long": "y" * 100_000}
        assert client.post("/json", json=document).json() == document

    def test_upload(self, client: httpx.Client) -> None:
        body = b"a\r\n--b\r\n\0" * 1000
        answer = client.post("/upload", data={"note": "caf\xe9"}, files={"file": ("name.bin", body)})
        digest = hashlib.sha256(body).hexdigest()
        assert answer.json() == {"name": "name.bin", "note": "caf\xe9", "size": len(body), "sha256": digest}

    @pytest.mark.usefixtures("frugal")
    def test_upload_of_50_mb(self, client: httpx.Client, large: Large) -> None:
        with large.path.open("rb") as file:
            answer = client.post("/upload", files={"file": ("large.bin", file)})
        assert answer.status_code == 200
        found = answer.json()
        assert (found["size"], found["sha256"]) == (large.size, large.sha256)

    @pytest.mark.usefixtures("frugal")
    def test_upload_of_50_mb_by_curl(self, server: ServerProcess, large: Large) -> None:
        """curl waits for 100 Continue here."""
        found = json.loads(curl("-F", f"file=@{large.path}", "-F", "note=by curl", server.url + "/upload"))
        assert (found["size"], found["sha256"], found["note"]) == (large.size, large.sha256, "by curl")

    @pytest.mark.usefixtures("frugal")
    def test_put_of_50_mb_by_curl(self, server: ServerProcess, large: Large) -> None:
        found = json.loads(curl("-T", str(large.path), server.url + "/raw"))
        assert found == {"size": large.size, "sha256": large.sha256}

    @pytest.mark.usefixtures("frugal")
    def test_50_mb_in_chunks(self, server: ServerProcess, client: httpx.Client, large: Large, threads: int) -> None:
        found = client.put("/raw", content=large.pieces()).json()
        by_curl = json.loads(curl("-T", str(large.path), "-H", "Transfer-Encoding: chunked", server.url + "/raw"))
        if self.CHUNKED or threads == 1:
            assert found == by_curl == {"size": large.size, "sha256": large.sha256}
        else:
            assert found["size"] == by_curl["size"] == 0  # the framework's own limit
        assert client.get("/").status_code == 200

    def test_download(self, server: ServerProcess, client: httpx.Client, large: Large, tmp_path: Path) -> None:
        sha = hashlib.sha256()
        with client.stream("GET", "/download") as answer:
            assert answer.status_code == 200
            assert answer.headers["content-length"] == str(large.size)
            for piece in answer.iter_raw():
                sha.update(piece)
        assert sha.hexdigest() == large.sha256
        curl("-o", str(tmp_path / "got"), server.url + "/download")
        with (tmp_path / "got").open("rb") as file:
            assert hashlib.file_digest(file, "sha256").hexdigest() == large.sha256

    def test_stream(self, server: ServerProcess, client: httpx.Client) -> None:
        for _ in range(2):
            with client.stream("GET", "/stream?mark=*") as answer:
                assert answer.headers["transfer-encoding"] == "chunked"
                assert answer.read().decode() == "".join(line + "*" for line in LINES)
        with Wire(server.address) as wire:
            assert wire.get("/stream").blocks == [line.encode() for line in LINES]
        assert curl("-0", server.url + "/stream").decode() == "".join(LINES)

    @pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/forbidden", 403), ("/error", 500)])
    def test_errors(self, client: httpx.Client, path: str, status: int) -> None:
        answer = client.get(path)
        assert answer.status_code == status
        assert client.get("/").status_code == 200

    def test_an_error_is_logged(self, server: ServerProcess, client: httpx.Client) -> None:
        since = server.position()
        client.get("/error")
        output = server.wait_for_output("RuntimeError: the site is broken", since)
        assert "_site.py" in output

    def test_an_error_in_a_stream_cuts_it(self, server: ServerProcess, client: httpx.Client) -> None:
        with Wire(server.address) as wire:
            wire.send(request("/stream-error"))
            with pytest.raises(CutError) as cut:
                wire.answer()
            assert cut.value.body == b"first"
        with pytest.raises(httpx.RemoteProtocolError):
            client.get("/stream-error")
        assert client.get("/").status_code == 200

    def test_redirect(self, client: httpx.Client) -> None:
        answer = client.get("/redirect", follow_redirects=True)
        assert answer.text == f"index of {self.NAME}"
        assert [step.status_code for step in answer.history] == [302]

    def test_head(self, server: ServerProcess) -> None:
        with Wire(server.address) as wire:
            for path in ("/", "/download", "/stream", "/zipped"):
                get = self.fields(server, path)
                head = wire.get(path, "HEAD", fields=[("Accept-Encoding", "gzip")])
                if head.status == 405:  # Falcon has no HEAD of its own
                    continue
                assert head.status == 200
                assert head.get("Content-Length") in (get.get("content-length"), None)
            assert wire.get("/").status == 200

    def fields(self, server: ServerProcess, path: str) -> httpx.Headers:
        with httpx.stream("GET", server.url + path) as answer:
            return answer.headers

    def test_cookies(self, client: httpx.Client) -> None:
        assert [client.get("/visits").json() for _ in range(3)] == [1, 2, 3]
        assert "theme" in client.cookies
        client.cookies.clear()
        assert client.get("/visits").json() == 1

    def test_cookies_by_curl(self, server: ServerProcess, tmp_path: Path) -> None:
        jar = str(tmp_path / "jar")
        out = [curl("-b", jar, "-c", jar, server.url + "/visits").strip() for _ in range(3)]
        assert out == [b"1", b"2", b"3"]

    def test_content_codings_are_left_alone(self, server: ServerProcess, client: httpx.Client) -> None:
        answer = client.get("/zipped", headers={"Accept-Encoding": "gzip"})
        assert answer.text == gzip.decompress(ZIPPED).decode()
        assert curl("-H", "Accept-Encoding: gzip", server.url + "/zipped") == ZIPPED
        plain = client.get("/", headers={"Accept-Encoding": "gzip, br, zstd"})
        assert "content-encoding" not in plain.headers

    def test_one_connection_serves_many_requests(self, server: ServerProcess) -> None:
        with Wire(server.address) as wire:
            for _ in range(20):
                assert wire.get("/").body.decode() == f"index of {self.NAME}"
                assert wire.get("/form", "POST", body=b"a=1", fields=[FORM]).body
                assert wire.get("/stream").status == 200
                assert wire.get("/nowhere").status == 404
                assert wire.get("/error").status == 500
        connects = curl("-w", "%{num_connects}", "-o", "/dev/null", "-o", "/dev/null", *[server.url + "/"] * 2)
        assert connects == b"10"  # one for the first, none for the second

    @pytest.mark.parametrize("path", ["a/b", "caf%C3%A9/%E2%98%83", "with%20space", "100%25", "a%2Fb;c=d", "a//b"])
    def test_paths(self, server: ServerProcess, client: httpx.Client, path: str) -> None:
        found: list[Any] = client.get(f"/path/{path}").json()
        assert found[0] == unquote(path)
        assert found[1] == ""
        assert found[2].startswith(f"{server.url}/path/")
        assert found[3] == "127.0.0.1"


FORM = ("Content-Type", "application/x-www-form-urlencoded")
