"""Decisions from files: all of them or none, each of them once."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import func, select

from tests.builders import campaign_with_people
from workbench.formats.graded_pairs import GradedPair
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.adjudication import decision_files
from workbench.workflow.adjudication.decision_files import (
    DecisionsImported,
    decisions_made,
    import_decisions,
)
from workbench.workflow.judging.importing import import_judgments

PAIRS = [("T1", f"n{number}") for number in range(5)]
DECIDED = [GradedPair(*pair, 1, "", line) for line, pair in enumerate(PAIRS, start=2)]


@pytest.fixture
def campaign(sqlite_database: Database) -> int:
    """A campaign in which X gave every pair grade 0, and Y grade 1."""
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
        judgments = [Judgment(who, *pair, grade) for grade, who in enumerate("XY") for pair in PAIRS]
        import_judgments(db, campaign, judgments, source="f.tsv")
    return campaign


def imported(database: Database, campaign: int, decisions: list[GradedPair]) -> DecisionsImported:
    with database.writing() as db:
        (done,) = import_decisions(db, campaign, [("f.tsv", decisions)])
    return done


def recorded(database: Database) -> int:
    with database.reading() as db:
        return db.scalar(select(func.count()).select_from(AdjudicationEventRow)) or 0


def test_what_is_decided_so_already_is_not_recorded_again(sqlite_database: Database, campaign: int) -> None:
    assert imported(sqlite_database, campaign, DECIDED[:2]).new == 2
    done = imported(sqlite_database, campaign, DECIDED)
    assert (done.read, done.new, done.undisputed, recorded(sqlite_database)) == (5, 3, 0, 5)
    assert imported(sqlite_database, campaign, DECIDED).new == 0
    with sqlite_database.reading() as db:
        assert [(one.docno, one.grade) for one in decisions_made(db, campaign)] == [
            (docno, 1) for _, docno in PAIRS
        ]


def test_an_interrupted_import_records_nothing(
    sqlite_database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as first:
        first.setattr(decision_files, "DecisionsImported", killed)
        with pytest.raises(KeyboardInterrupt):
            imported(sqlite_database, campaign, DECIDED)
    assert recorded(sqlite_database) == 0
    assert imported(sqlite_database, campaign, DECIDED).new == 5
