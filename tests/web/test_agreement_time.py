"""The page of agreement over time."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments, text_of
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.workflow.agreement.timelines import TimeReport, over_time
from workbench.workflow.people.assessors import assessors_of

ADDRESS = "/c/harbour/agreement/time"


@pytest.fixture
def olga(enter: Enter, cast: Cast, sqlite_database: Database) -> FlaskClient:
    """Ada judged thirty pairs in three sittings; X, from a file, differs on the last of each."""
    client = enter("Olga")
    with sqlite_database.writing() as db:
        ada = next(one.id for one in assessors_of(db, cast.campaign_id) if one.name == "Ada")
        events = [
            {
                "campaign_id": cast.campaign_id, "assessor_id": ada, "topic": "T1",
                "docno": f"n{number:02}", "answer": "grade", "grade": 3 * (number % 2), "reason": "",
                "client_id": f"ada-{number:05}", "source": "screen", "assignment_id": None,
                "document_sha256": None, "position": None, "order_rule": None, "seed": None,
                "active_ms": 9_000,
                "recorded_at": datetime(2026, 11, 2, 9 + number // 10, number % 10, tzinfo=UTC)
                + timedelta(days=number // 20),
            }
            for number in range(30)
        ]  # fmt: skip
        append_events(db, events)
    rows = [
        ("T1", f"n{number:02}", "X", str(3 * ((number + (number % 10 == 9)) % 2))) for number in range(30)
    ]
    assert import_judgments(client, rows).status_code == 303
    return client


def test_sittings_positions_and_days_stand_with_their_sentences(olga: FlaskClient) -> None:
    text = text_of(olga.get(f"{ADDRESS}?bin=5").text)
    assert "A pause of 30 minutes or more starts a new sitting." in text
    # 27 of 30 agree: 15 of the first five of each sitting, 12 of 15 of the others.
    assert "Ada : by position in the sitting" in text
    assert "1 to 5 15 15 1.000" in text
    assert "6 to 10 15 15 0.800" in text
    assert "2 November 2026 20 20 0.900" in text
    assert "judgments, p = 0." in text
    assert "Not included, since files do not record when each pair was judged: X ." in text


def test_the_csv_has_bins_days_and_the_trends_with_their_seed(olga: FlaskClient) -> None:
    rows = list(csv.DictReader(olga.get(f"{ADDRESS}/table.csv?bin=5").text.splitlines()))
    assert [(row["by"], row["from"], row["agreement"]) for row in rows] == [
        ("position", "1", "1.0"), ("position", "6", "0.8"),
        ("day", "2026-11-02", "0.9"), ("day", "2026-11-03", "0.9"),
        ("trend", "agreement_by_position", ""), ("trend", "relevance_by_position", ""),
        ("trend", "log_seconds_by_position", ""), ("trend", "agreement_by_day", ""),
    ]  # fmt: skip
    assert {(row["interval"], row["seed"]) for row in rows[:4]} == {("Wilson", "")}
    assert {(row["compared"], row["rounds"], row["seed"]) for row in rows[4:]} == {("30", "1000", "0")}
    assert float(rows[4]["slope"]) < 0 <= float(rows[4]["p"]) <= 1


def test_the_tables_come_as_latex_and_json_too(olga: FlaskClient) -> None:
    latex = olga.get(f"{ADDRESS}/table.tex?bin=5").text
    assert latex.count(r"\begin{tabular}") == 3
    assert "Ada & 6--10 & 15 & 15 & 0.800 [" in latex
    assert "1,000 rounds, seed 0." in latex
    data = olga.get(f"{ADDRESS}/table.json?bin=5").json
    assert data is not None
    assert (data["bin"], data["seed"], data["rows"][1]["agreement"]) == (5, 0, 0.8)
    assert data["trends"]["Ada"]["agreement_by_day"]["n"] == 30


def test_what_cannot_be_asked_is_said_and_nothing_judged_is_no_error(olga: FlaskClient, enter: Enter) -> None:
    assert "Bins of 0 judgments" in olga.get(f"{ADDRESS}?bin=0").text
    assert enter("Ada").get(ADDRESS).status_code == 403


def test_before_anybody_has_judged_here_the_page_says_so(enter: Enter) -> None:
    assert "No judgments on screen yet" in enter("Vera").get(ADDRESS).text


def test_a_page_that_would_take_long_shows_how_far_it_is_and_asks_again(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = over_time

    def slow(*asked: Any, seconds: float | None) -> TimeReport:
        """One of Ada and X is not known yet, for who does not wait."""
        found = whole(*asked)
        return found if seconds is None else replace(found, imported=(), waiting=1)

    monkeypatch.setattr("workbench.web.pages.agreement.time.over_time", slow)
    page = olga.get(f"{ADDRESS}?bin=5&assessor=Ada").text
    assert "Computing: 1 of 2 assessors" in text_of(page)
    assert "Ada : by position in the sitting" in text_of(page)
    assert '<select id="assessor"' not in page
    (again,) = re.findall(r'hx-get="(/c/harbour/agreement/time[^"]*)" hx-trigger="load"', page)
    address = unescape(again)
    assert set(address.split("?")[1].split("&")) == {"bin=5", "assessor=Ada"}
    part = olga.get(f"{address}&whole=1", headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith('<div class="stack" id="report">')
    assert "Computing" not in part
    assert "Ada : by position in the sitting" in text_of(part)
