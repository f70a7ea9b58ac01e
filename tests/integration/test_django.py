"""A Django site behind the server."""

import httpx
from framework_checks import FrameworkChecks

APP = "django_site:app"


class TestDjango(FrameworkChecks):
    NAME = "Django"
    CHUNKED = False  # it takes a missing Content-Length for 0

    def test_a_form_in_chunks(self, client: httpx.Client, threads: int) -> None:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        found = client.post("/form", content=iter([b"name=A", b"da&many=1"]), headers=kind).json()
        if threads == 1:  # held whole, so its size is known
            assert (found["name"], found["many"]) == (["Ada"], ["1"])

    def test_a_checked_form(self, client: httpx.Client) -> None:
        assert client.post("/checked", data={"name": "Ada"}).json() == {"name": "Ada", "note": ""}
        refused = client.post("/checked", data={"name": "x" * 21})
        assert refused.status_code == 422
        assert list(refused.json()) == ["name"]

    def test_conditional_requests(self, client: httpx.Client) -> None:
        tag = client.get("/").headers["etag"]
        unchanged = client.get("/", headers={"If-None-Match": tag})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert client.get("/").status_code == 200
