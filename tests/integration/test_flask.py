"""A Flask site behind the server."""

import httpx
from framework_checks import FrameworkChecks, Large
from server_process import ServerProcess

APP = "flask_site:app"


class TestFlask(FrameworkChecks):
    NAME = "Flask"

    def test_conditional_and_range_requests(self, client: httpx.Client, large: Large) -> None:
        """Flask answers these itself; its 304 and 206 must come through."""
        tag = client.head("/download").headers["etag"]
        unchanged = client.get("/download", headers={"If-None-Match": tag})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        part = client.get("/download", headers={"Range": "bytes=1000-1999"})
        with large.path.open("rb") as file:
            file.seek(1000)
            assert part.content == file.read(1000)
        assert part.status_code == 206
        assert part.headers["content-range"] == f"bytes 1000-1999/{large.size}"
        assert client.get("/").status_code == 200

    def test_a_form_in_chunks(self, client: httpx.Client) -> None:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        found = client.post("/form", content=iter([b"name=A", b"da&many=1"]), headers=kind).json()
        assert (found["name"], found["many"]) == (["Ada"], ["1"])

    def test_a_form_that_was_not_sent(self, server: ServerProcess, client: httpx.Client) -> None:
        since = server.position()
        assert client.post("/upload").status_code == 400
        assert "app.error" not in server.output(since)
