"""Runs: checked whole, kept as sent."""

from __future__ import annotations

import gzip
import hashlib
import io
import time

import pytest

from tests.builders import ALPHA, campaign_with_people, pooled_campaign, run_text, send_runs
from tests.stored_runs import whole_run
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import BINARY
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.runs.run_checks import check_files, run_checker
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.runs.store import add_runs, remove_run, store_in_turn

pytestmark = pytest.mark.engines


def test_a_run_is_kept_byte_for_byte_plain_or_gzip(database: Database) -> None:
    plain = run_text("alpha", ALPHA).replace(b"\n", b"\r\n").rstrip()
    with database.writing() as db:
        made = campaign_with_people(db)
        result = add_runs(
            db,
            made.campaign.id,
            [
                ("alpha.txt", io.BytesIO(plain)),
                ("beta.gz", io.BytesIO(gzip.compress(run_text("beta", ALPHA)))),
            ],
        )
        assert result.refused == ()
        assert whole_run(db, made.campaign.id, "alpha") == ("alpha.txt", plain)
        assert whole_run(db, made.campaign.id, "beta") == ("beta", run_text("beta", ALPHA))
        (alpha, _) = runs_of(db, made.campaign.id)
        assert (alpha.topics, alpha.lines, alpha.sha256) == (2, 7, hashlib.sha256(plain).hexdigest())


def test_a_refused_run_names_every_error_with_its_line_and_leaves_nothing(database: Database) -> None:
    bad = b"T1 Q0 d1 1 9.5 bad\nT1 Q0 d1 2 8 bad\nT9 Q0 d2 1 high bad\nT1 Q0 d3 bad\n"
    with database.writing() as db:
        made = campaign_with_people(db)
        result = add_runs(
            db,
            made.campaign.id,
            [("bad.txt", io.BytesIO(bad)), ("alpha.txt", io.BytesIO(run_text("alpha", ALPHA)))],
        )
        (refused,) = result.refused
        # Line 2 repeats d1, line 3 has an unknown topic and no number, line 4 has four columns.
        assert {finding.line for finding in refused.errors} == {2, 3, 4}
        assert [run.tag for run in runs_of(db, made.campaign.id)] == ["alpha"]


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


def test_a_tag_that_is_taken_is_refused(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA)
        (refused,) = send_runs(db, made.campaign.id, alpha={"T1": ("d6",)}).refused
        assert 'the tag "alpha" is taken by run "alpha"' in str(refused.errors[0])


def test_the_very_same_file_again_is_called_that(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA)
        (refused,) = send_runs(db, made.campaign.id, alpha=ALPHA).refused
        assert (refused.errors[0].code, 'run "alpha"' in refused.errors[0].message) == ("same-file", True)


def test_runs_before_topics_are_refused_with_the_remedy(database: Database) -> None:
    with database.writing() as db:
        empty = create_campaign(db, name="Empty", scale=BINARY)
        with pytest.raises(WorkbenchError, match="load the topics before the runs"):
            send_runs(db, empty.id, alpha=ALPHA)


def test_a_pooled_run_cannot_be_removed(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        with pytest.raises(Conflict, match="was built from run 'alpha'"):
            remove_run(db, made.campaign.id, "alpha")
        with pytest.raises(NotFound):
            remove_run(db, made.campaign.id, "gamma")


def test_a_docno_that_is_not_utf8_is_refused(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        text = b"T1 Q0 caf\xe9 1 1.0 latin\n"
        (refused,) = add_runs(db, made.campaign.id, [("latin.txt", io.BytesIO(text))]).refused
        assert [finding.code for finding in refused.errors] == ["id-encoding"]
