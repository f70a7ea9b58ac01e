"""A Falcon site behind the server."""

import httpx
from framework_checks import FrameworkChecks

APP = "falcon_site:app"


class TestFalcon(FrameworkChecks):
    NAME = "Falcon"

    def test_media_errors(self, client: httpx.Client) -> None:
        broken = client.post("/json", content=b"{", headers={"Content-Type": "application/json"})
        assert broken.status_code == 400
        assert broken.json()["title"] == "Invalid JSON"
        assert client.put("/json").status_code == 405
        assert client.options("/json").headers["allow"] == "POST, OPTIONS" or client.options("/json").status_code == 200
        assert client.get("/").status_code == 200
