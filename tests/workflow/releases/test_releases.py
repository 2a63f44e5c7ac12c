"""Releases of a campaign: made once, listed, downloaded as they were made."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tests.builders import Made, pooled_campaign
from workbench.consensus.rule_choice import rule_choice
from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.records import Judgment
from workbench.releases.check import open_release
from workbench.storage.engine import Database
from workbench.storage.tables import ReleasePartRow, ReleaseRow
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.releases import (
    MadeRelease,
    create_release,
    next_version,
    publish_release,
    release_by_version,
    release_bytes,
    releases_of,
    unpublish_release,
    withdraw_release,
)

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


def released(db: Session, campaign_id: int, version: str = "1.0") -> MadeRelease:
    request = ReleaseRequest(version, rule_choice("majority"), seed=7)
    return create_release(db, campaign_id, request, now=NOW)


def test_a_release_is_listed_with_its_figures_and_reads_as_it_was_made(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db).campaign.id
        made = released(db, campaign)
        (found,) = releases_of(db, campaign)
        content = release_bytes(db, found)
    assert (found.version, found.lines, found.relevant, found.made_at) == ("1.0", 4, 3, NOW)
    assert found == made.release
    counts = {finding.code: finding.message.split()[0] for finding in made.warnings}
    assert counts == {"disputes": "1", "unjudged": "3", "unsettled": "1"}
    contents = open_release(io.BytesIO(content), source="release.zip")
    lines = {(one.topic, one.docno): one.grade for one in contents.qrels}
    assert lines == {("T1", "d1"): 1, ("T1", "é5"): 1, ("T2", "d2"): 0, ("T2", "d/4"): 1}
    assert {one.pseudonym for one in contents.assessors} == {"assessor-1", "assessor-2"}
    assert b"Cara" not in content
    assert b"Dov" not in content


def test_no_version_is_made_twice_and_the_next_one_is_proposed(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db).campaign.id
        assert next_version(db, campaign) == "1.0"
        released(db, campaign)
        assert next_version(db, campaign) == "1.1"
        with pytest.raises(Conflict):
            released(db, campaign)
        with pytest.raises(InvalidInput) as refused:
            released(db, campaign, "../1")
    assert refused.value.findings[0].code == "version"


def test_without_a_grade_nothing_is_released(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made, _ = pooled_campaign(db)
        with pytest.raises(Conflict):
            released(db, made.campaign.id)


@pytest.mark.engines
def test_the_database_refuses_every_change_of_what_was_released(database: Database) -> None:
    with database.writing() as db:
        campaign = judged_campaign(db).campaign.id
        number = released(db, campaign).release.id
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
    with database.writing() as db:
        campaign = judged_campaign(db).campaign.id
        released(db, campaign)
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
