"""Releases of a campaign: made once, listed, downloaded as they were made."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tests.builders import Made, pooled_campaign
from workbench.consensus.rules import rule_choice
from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.records import Judgment
from workbench.releases.contents import ReleaseContents
from workbench.storage import releases as storage
from workbench.storage.engine import Database
from workbench.storage.tables import AssessorRow, ReleasePartRow, ReleaseRow
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.releases import making
from workbench.workflow.releases.collecting import ReleaseRequest, collect_release, released_assessor_ids
from workbench.workflow.releases.making import MadeRelease, make_release
from workbench.workflow.releases.releases import (
    publish_release,
    release_by_version,
    release_parts,
    unpublish_release,
    withdraw_release,
)
from workbench.workflow.upkeep.checks import check_releases

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
# By majority d1 and é5 of T1 and d2 and d/4 of T2 have a grade. Of the six pairs pooled (tests.builders) 3
# have none: on d2 of T1 the two differ, d/4 of T1 and d1 of T2 nobody judged.
GRADES = {
    "Cara": {("T1", "d1"): 1, ("T1", "d2"): 1, ("T2", "d2"): 0, ("T2", "d/4"): 1},
    "Dov": {("T1", "d1"): 1, ("T1", "d2"): 0, ("T2", "d2"): 0, ("T1", "é5"): 1},
}


def judged_campaign(db: Session) -> Made:
    """A pooled campaign with the judgments above."""
    made, _ = pooled_campaign(db)
    judgments = [
        Judgment(who, *pair, grade) for who, graded in GRADES.items() for pair, grade in graded.items()
    ]
    import_judgments(db, made.campaign.id, judgments, source="judgments")
    return made


def judged(database: Database) -> int:
    """The id of such a campaign."""
    with database.writing() as db:
        return judged_campaign(db).campaign.id


def released(database: Database, campaign_id: int, version: str = "1.0") -> MadeRelease:
    request = ReleaseRequest(version, rule_choice("majority"), seed=7)
    return make_release(database, campaign_id, request, now=NOW)


@pytest.mark.engines
def test_others_write_while_a_release_is_computed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, collect = judged(database), collect_release

    def beside(*given: Any) -> ReleaseContents:
        with database.writing() as db:
            import_judgments(db, campaign, [Judgment("Eve", "T1", "d1", 1)], source="later")
        return collect(*given)

    monkeypatch.setattr(making, "collect_release", beside)
    assert released(database, campaign).counts.assessors == 2
    monkeypatch.undo()
    assert released(database, campaign, "1.1").counts.assessors == 3


def test_who_judges_first_while_pseudonyms_are_given_gets_one_too(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, needed = judged(sqlite_database), released_assessor_ids
    asked = []

    def one_too_few(db: Session, campaign_id: int) -> set[int]:
        asked.append(needed(db, campaign_id))
        return set(sorted(asked[0])[1:]) if len(asked) == 1 else asked[-1]

    monkeypatch.setattr(making, "released_assessor_ids", one_too_few)
    assert released(sqlite_database, campaign).counts.assessors == 2
    with sqlite_database.reading() as db:
        names = dict(db.execute(select(AssessorRow.name, AssessorRow.pseudonym)).all())
    assert {names["Cara"], names["Dov"]} == {"assessor-1", "assessor-2"}
    # Two rounds, each before writing and in the snapshot.
    assert len(asked) == 4


@pytest.mark.engines
def test_the_bytes_are_stored_in_parts_and_come_back(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = judged(database)
    monkeypatch.setattr(storage, "PART", 2_000)
    made = released(database, campaign).release
    with database.reading() as db:
        sizes = [
            len(one) for one in db.scalars(select(ReleasePartRow.content).order_by(ReleasePartRow.number))
        ]
        assert hashlib.sha256(b"".join(release_parts(db, made))).hexdigest() == made.sha256
        assert list(check_releases(db)) == []
    assert sizes == [2_000] * (made.size // 2_000) + [made.size % 2_000]
    assert len(sizes) > 5


@pytest.mark.engines
def test_a_killed_process_leaves_nothing_of_a_release(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = judged(database)

    def killed(*given: Any) -> None:
        storage.store_parts(*given)
        raise SystemExit

    monkeypatch.setattr(making, "store_parts", killed)
    with pytest.raises(SystemExit):
        released(database, campaign)
    monkeypatch.undo()
    with database.reading() as db:
        assert db.scalars(select(ReleaseRow.id)).all() == []
        assert db.scalars(select(ReleasePartRow.number)).all() == []
    # Its version is free.
    assert released(database, campaign).release.version == "1.0"


@pytest.mark.engines
def test_the_database_refuses_every_change_of_what_was_released(database: Database) -> None:
    number = released(database, judged(database)).release.id
    for statement in (
        update(ReleasePartRow).where(ReleasePartRow.release_id == number).values(content=b"x"),
        update(ReleaseRow).where(ReleaseRow.id == number).values(sha256="0" * 64),
        update(ReleaseRow).where(ReleaseRow.id == number).values(version="2.0"),
    ):
        with pytest.raises(IntegrityError), database.engine.begin() as connection:
            connection.execute(statement)
    with database.reading() as db:
        assert db.scalar(text("select count(*) from collection_release where version = '1.0'")) == 1


@pytest.mark.engines
def test_a_release_is_published_and_withdrawn_with_a_reason_that_stays(database: Database) -> None:
    campaign = judged(database)
    released(database, campaign)
    with database.writing() as db:
        with pytest.raises(Conflict):
            unpublish_release(db, campaign, "1.0")
        assert publish_release(db, campaign, "1.0", now=NOW).public
        with pytest.raises(InvalidInput) as refused:
            withdraw_release(db, campaign, "1.0", reason=" ")
        assert refused.value.findings[0].code == "reason"
        withdraw_release(db, campaign, "1.0", reason="Topic T2 was judged by the wrong guidelines", now=NOW)
        found = release_by_version(db, campaign, "1.0")
        assert (found.public, found.withdrawn_at) == (True, NOW)
        assert found.withdrawn_reason == "Topic T2 was judged by the wrong guidelines"
        for change in (publish_release, unpublish_release):
            with pytest.raises(Conflict):
                change(db, campaign, "1.0")
        with pytest.raises(Conflict):
            withdraw_release(db, campaign, "1.0", reason="again")
        with pytest.raises(NotFound):
            release_by_version(db, campaign, "9.9")
