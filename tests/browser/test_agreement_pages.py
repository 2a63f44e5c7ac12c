"""Agreement in a real browser: plots with their tables, the planner as one types, and a blind assessor."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import CHEAP, demo_instance, sign_in
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.app import create_app

# Something for every argument of an address; what is none of hers is refused, which says nothing either.
SAMPLES = {
    "slug": "harbour", "filename": "workbench.css", "token": "none", "invitation_id": 1, "account_id": 3,
    "assignment_id": 1, "pool_id": 1, "batch": "none", "number": 1, "group_id": 1, "topic": "T01",
    "docno": "ALM-0001", "table": "growth", "part": "rules", "kind": "csv",
    "what": "preferences", "page": "agreement", "question": "holes", "version": "1.0",
    "sha256": "a" * 64, "tag": "alpha", "pool": "depth 2", "login": "somebody", "role": "viewer",
    "group": "none", "search_id": 1, "webhook_id": 1,
}  # fmt: skip


def addresses() -> list[str]:
    """Every address that answers GET, with samples for what it asks for; others are left as 1."""
    app = create_app(read_settings({}, instance=Path("nowhere")), Database("sqlite://"), passwords=CHEAP)
    found = []
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint != "static":
            built = rule.build({name: SAMPLES.get(name, 1) for name in rule.arguments})
            assert built is not None
            found.append(built[1])
    return found


@pytest.mark.slow
def test_agreement_is_drawn_planned_and_hidden_from_who_still_judges(
    live_server: Callable[..., Server], page: Page, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    campaign = f"{server.address}/c/harbour"

    # A dot for every topic that has a value, whose tip says what the table does.
    page.goto(f"{campaign}/agreement/topics?by=observed")
    rows = page.locator("#table tbody tr")
    dots = page.locator("#by-topic [aria-label=dot] circle")
    expect(dots).to_have_count(rows.count())
    value = " ".join(rows.first.locator("td").nth(3).inner_text().split()).split()[0]
    dots.first.hover()
    expect(page.locator("#by-topic [aria-label=tip]")).to_contain_text(f"observed agreement: {value}")

    # The planner answers while one types: (1.96 / .1)^2 (1 - .5^2) = 288.1 at equal shares.
    page.goto(f"{campaign}/agreement/overlap")
    for label, text in (("Half width", "0.1"), ("Kappa", "0.5"), ("Share relevant", "50%")):
        page.locator("#overlap").get_by_label(label).fill(text)
    expect(page.locator("#result .said")).to_contain_text("289 pairs drawn at random")
    expect(page.locator("#result figure svg [aria-label=line] path")).to_have_count(3)

    # An assessor who is not done finds nothing of a colleague at any address.
    page.context.clear_cookies()
    sign_in(page, server.address, "marlow")
    asked = 0
    for address in addresses():
        answer = page.request.get(f"{server.address}{address}", max_redirects=0)
        assert answer.status < 500, address
        assert not re.search(r"Quist|overlap-judge|Ibarra", answer.text()), address
        asked += 1
    assert asked > 60
