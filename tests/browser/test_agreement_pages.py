"""Agreement in a real browser: the calculator of sizes, and a blind assessor."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import ceil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import CHEAP, demo_instance, sign_in
from workbench.agreement.intervals import student_t
from workbench.agreement.jackknife import freedom
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
    "group": "none", "search_id": 1,
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
def test_agreement_is_computed_and_hidden_from_who_still_judges(
    live_server: Callable[..., Server], page: Page, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    campaign = f"{server.address}/c/harbour"

    # The calculator has what the campaign lets one expect, and takes what is typed instead: at equal shares
    # (t / .1)^2 (1 - .5^2) documents, as many of each topic, where topics do not differ.
    page.goto(f"{campaign}/agreement/size")
    form = page.locator("#size")
    expect(form.get_by_label("Pooled kappa of two assessors")).to_have_attribute(
        "placeholder", re.compile(r"^0\.\d+$")
    )
    numbers = {"half_width": "0.1", "kappa": "0.5", "relevant": "0.5", "topics": "50", "icc": "0"}
    for name, text in numbers.items():
        form.locator(f"[name={name}]").fill(text)
    form.get_by_role("button", name="Calculate").click()
    per_topic = ceil((student_t(0.975, freedom(50)) / 0.1) ** 2 * 0.75 / 50)
    said = f"{50 * per_topic} documents judged by both, {per_topic} in each of 50 topics: ± 0."
    expect(page.locator("main")).to_contain_text(said)
    # With every document of a topic telling the same, no number of them is enough.
    form.locator("[name=icc]").fill("1")
    form.get_by_role("button", name="Calculate").click()
    expect(page.locator("main")).to_contain_text("50 topics cannot give ± 0.1, however many documents")

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
