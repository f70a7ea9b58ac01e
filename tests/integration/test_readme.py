"""The README's application, typed in and served as it says."""

import re
from pathlib import Path

import httpx
from conftest import Serve

README = Path(__file__).parents[2] / "README.md"


def test_the_readmes_application_runs(serve: Serve, tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.M | re.S)
    (tmp_path / "app.py").write_text(code)
    server = serve("app:app", app_dir=tmp_path)
    assert httpx.get(f"{server.url}/falcon").text == "Hello, falcon\n"
    assert httpx.get(f"{server.url}/docs").headers["content-type"] == "text/html; charset=utf-8"
