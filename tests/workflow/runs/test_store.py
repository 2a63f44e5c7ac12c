"""Runs: checked whole, kept as sent."""

from __future__ import annotations

import io
import time

import pytest

from tests.builders import ALPHA, campaign_with_people, run_text
from workbench.storage.engine import Database
from workbench.workflow.runs.run_checks import check_files, run_checker
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.runs.store import store_in_turn

pytestmark = pytest.mark.engines


def test_each_of_several_files_is_stored_in_a_transaction_of_its_own(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
    files = [(tag, io.BytesIO(run_text(tag, ALPHA))) for tag in ("one", "two")]
    files.insert(1, ("bad", io.BytesIO(b"no run")))
    with database.reading() as db:
        checked = list(check_files(run_checker(db, campaign), files))
    stored: list[list[str]] = []

    def look(_: float) -> None:
        with database.reading() as db:
            stored.append([run.tag for run in runs_of(db, campaign)])

    monkeypatch.setattr(time, "sleep", look)
    done = store_in_turn(database, campaign, checked)
    assert stored == [["one"], ["one"], ["one", "two"]]
    assert [run.tag for run in done.added] == ["one", "two"]
    assert [(report.file, report.error_count > 0) for report in done.refused] == [("bad", True)]
