"""The fixtures of these tests hear what a browser complains of; else a green test would say little."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from sqlalchemy import select, text

from tests.browser.conftest import Complaints
from tests.browser.full_campaign import DATABASE, full_campaign
from tests.databases import TABLES, opened
from workbench.storage.tables import CampaignRow
from workbench.workflow.campaigns.archive import delete_campaign

HEAD = "<!doctype html><title>small</title><link rel=icon href=data:,>"
PAGES = {
    "/quiet": f"{HEAD}<p>Nothing to complain of</p>",
    "/error": f"{HEAD}<script src=/throws.js></script>",
    "/inline": f"{HEAD}<script>window.ran = 1</script>",
    "/missing": f"{HEAD}<script src=/none.js></script>",
    "/throws.js": "throw new Error('thrown on purpose')",
}
POLICY = "default-src 'none'; script-src 'self'; img-src data:"


class SmallSite(http.server.BaseHTTPRequestHandler):
    """Serves PAGES under a strict policy."""

    def do_GET(self) -> None:
        body = PAGES.get(self.path, "").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def small_site() -> Iterator[str]:
    """The address of the small site."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), SmallSite) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_a_page_without_fault_is_not_complained_of(
    small_site: str, page: Page, complaints: Complaints
) -> None:
    page.goto(f"{small_site}/quiet")
    assert page.title() == "small"
    assert page.viewport_size == {"width": 1280, "height": 800}
    assert complaints.heard == []


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/error", "thrown on purpose"),
        ("/inline", "content-security policy: script-src-elem refused inline"),
        ("/missing", "404"),
    ],
)
def test_a_page_with_a_fault_is_complained_of(
    small_site: str, page: Page, complaints: Complaints, path: str, said: str
) -> None:
    page.goto(small_site + path)
    page.wait_for_timeout(100)
    assert [heard for heard in complaints.unexpected() if said in heard] != []
    complaints.expect("")
    assert complaints.unexpected() == []


def test_no_row_of_a_campaign_outlives_it_wherever_it_stands(tmp_path: Path) -> None:
    # Here, because the campaign of these tests has something in nearly every table.
    with opened(f"sqlite:///{full_campaign().write(tmp_path)}/{DATABASE}") as database:
        with database.reading() as db:
            campaigns = [(one.id, one.name) for one in db.scalars(select(CampaignRow))]
        for number, name in campaigns:
            delete_campaign(database, number, typed_name=name)
        with database.reading() as db:
            assert {table.name for table in TABLES if db.execute(select(table)).first()} == {
                "account",
                "one_time_token",
                "openid_identity",
                "session",
            }
            assert db.execute(text("PRAGMA foreign_key_check")).all() == []
