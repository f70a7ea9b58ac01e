"""The documentation pages in Chromium, with no network: every file comes from the server, and an operation is tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lanner.native.docs import ASSETS
from tests.support.browser import PROGRAM, Browser, Page
from tests.support.server import Server

APPS = Path(__file__).with_name("apps")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (on Debian: apt-get install chromium)"),
    pytest.mark.skipif(not ASSETS.exists(), reason="the files of the pages were not fetched (tools/fetch_assets.py)"),
]
LOGO = "https://cdn.redoc.ly/redoc/logo-mini.svg"  # ReDoc wants it; the policy of the page refuses it
# React takes notice of a value that is put in by its property and told of by an event; some fields wait until they are
# left.
TYPE = """
(selector, value) => {
  const input = document.querySelector(selector);
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value").set.call(input, value);
  input.dispatchEvent(new Event("input", { bubbles: true }));
  input.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as made:
        yield made


def click(page: Page, selector: str) -> None:
    page.wait_for(f"document.querySelector({selector!r})")
    page.value(f"document.querySelector({selector!r}).click()")


def fill(page: Page, selector: str, value: str) -> None:
    page.wait_for(f"document.querySelector({selector!r})")
    page.value(f"({TYPE})({selector!r}, {value!r})")


def shown(page: Page, selector: str, text: str) -> None:
    page.wait_for(f"[...document.querySelectorAll({selector!r})].some(found => found.innerText.includes({text!r}))")


def hosts(page: Page) -> set[str]:
    """Of all that the page asked for."""
    return {address.split("/")[2] for address in page.requests if address.startswith(("http:", "https:", "ws:"))}


def test_an_operation_is_tried_in_swagger_ui(browser: Browser) -> None:
    with Server("documented:app", cwd=APPS) as server:
        address = f"127.0.0.1:{server.address[1]}"
        page = browser.open(f"http://{address}/docs")
        shown(page, ".info .title", "Cards & <more>")
        shown(page, ".info .description", "All cards.")
        click(page, "#operations-cards-card_cards__card_id__get button.opblock-summary-control")
        click(page, "#operations-cards-card_cards__card_id__get button.try-out__btn")
        fill(page, 'tr[data-param-name="card_id"] input', "3")
        click(page, "#operations-cards-card_cards__card_id__get button.execute")
        shown(page, ".live-responses-table .response-col_status", "200")
        shown(page, ".live-responses-table .microlight, .live-responses-table pre", '"name": "Opt3"')
        assert f"http://{address}/cards/3?upper=false" in page.requests
        click(page, "#operations-cards-add_cards_post button.opblock-summary-control")
        click(page, "#operations-cards-add_cards_post button.try-out__btn")
        fill(page, "#operations-cards-add_cards_post textarea", '{"name": 7}')
        click(page, "#operations-cards-add_cards_post button.execute")
        shown(page, "#operations-cards-add_cards_post .live-responses-table", "string_type")
        assert hosts(page) == {address}
        assert [problem for problem in page.problems if "status of 422" not in problem] == []


def test_redoc_shows_the_app(browser: Browser) -> None:
    with Server("documented:app", cwd=APPS) as server:
        address = f"127.0.0.1:{server.address[1]}"
        page = browser.open(f"http://{address}/redoc")
        shown(page, "h1", "Cards & <more>")
        shown(page, "td", "In capitals")
        fill(page, "input[placeholder]", "One card")  # the index for this is made by a worker
        shown(page, '[role="search"]', "Card")
        assert hosts(page) <= {address, LOGO.split("/")[2]}
        assert [problem for problem in page.problems if problem != "csp" and LOGO not in problem] == []


@pytest.mark.parametrize("path", ["/api/docs", "/"])
def test_pages_at_other_addresses_find_their_files(browser: Browser, path: str) -> None:
    with Server("documented:moved", cwd=APPS) as server:
        page = browser.open(f"http://127.0.0.1:{server.address[1]}{path}")
        shown(page, "h1, .title", "Cards")
        assert [problem for problem in page.problems if problem != "csp" and LOGO not in problem] == []
