"""Decisions from files: compared before others have to wait, recorded in portions, each of them once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from tests.builders import campaign_with_people
from workbench.formats.graded_pairs import GradedPair
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.adjudication import decision_files
from workbench.workflow.adjudication.decision_files import decisions_made, import_decisions
from workbench.workflow.judging.importing import import_judgments

PAIRS = [("T1", f"n{number}") for number in range(5)]
DECIDED = [GradedPair(*pair, 1, "", line) for line, pair in enumerate(PAIRS, start=2)]


@pytest.fixture
def campaign(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> int:
    """A campaign in which X gave every pair grade 0, and Y grade 1."""
    monkeypatch.setattr(decision_files, "PORTION", 2)
    monkeypatch.setattr(decision_files, "PAUSE", 0)
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
        judgments = [Judgment(who, *pair, grade) for grade, who in enumerate("XY") for pair in PAIRS]
        import_judgments(db, campaign, judgments, source="f.tsv")
    return campaign


def recorded(database: Database) -> int:
    with database.reading() as db:
        return db.scalar(select(func.count()).select_from(AdjudicationEventRow)) or 0


def test_others_write_between_two_portions_of_decisions(
    sqlite_database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, seen = Database(sqlite_database.url), []

    def write(_: float) -> None:
        with other.writing() as db:
            db.execute(text("update campaign set guidelines = 'new'"))
        seen.append(recorded(sqlite_database))

    monkeypatch.setattr(time, "sleep", write)
    (done,) = import_decisions(sqlite_database, campaign, [("f.tsv", DECIDED)])
    other.close()
    # Five in twos; the first two are recorded with the check that nothing has changed.
    assert (seen, done.new, done.undisputed) == ([4, 5], 5, 0)
    with sqlite_database.reading() as db:
        assert [(one.docno, one.grade) for one in decisions_made(db, campaign)] == [
            (docno, 1) for _, docno in PAIRS
        ]


def test_the_rest_of_decisions_that_a_killed_process_left_comes_with_the_file_again(
    sqlite_database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as first, suppress(KeyboardInterrupt):
        first.setattr(time, "sleep", killed)
        import_decisions(sqlite_database, campaign, [("f.tsv", DECIDED)])
    assert recorded(sqlite_database) == 4
    (done,) = import_decisions(sqlite_database, campaign, [("f.tsv", DECIDED)])
    assert (done.new, recorded(sqlite_database)) == (1, 5)


def test_what_is_decided_after_decisions_were_compared_has_them_compared_anew(
    sqlite_database: Database, campaign: int
) -> None:
    calls: list[int] = []

    @contextmanager
    def writing() -> Iterator[Session]:
        if not calls:
            calls.append(1)
            import_decisions(sqlite_database, campaign, [("before.tsv", DECIDED[:2])])
        with sqlite_database.writing() as db:
            yield db

    (done,) = import_decisions(sqlite_database, campaign, [("f.tsv", DECIDED)], writing=writing)
    assert (done.read, done.new, recorded(sqlite_database)) == (5, 3, 5)
