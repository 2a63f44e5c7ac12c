"""A campaign in another database is the same campaign: its records, its release, and who may do what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from tests.cast import Cast, assemble
from tests.databases import opened_copy
from tests.workflow.judging.test_learner_pools import judge_all, learner_pool, rounds_of
from tests.workflow.releases.filled import filled_campaign, filled_release
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.releases import read_parts
from workbench.storage.tables import (
    AccountRow,
    AdjudicationEventRow,
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    MemberRow,
    PoolEntryRow,
    ReleaseRow,
)
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.adaptive_states import replay_pool
from workbench.workflow.judging.training import WAIVED, is_waived
from workbench.workflow.upkeep import campaign_move
from workbench.workflow.upkeep.campaign_move import CampaignMove, move_campaign
from workbench.workflow.upkeep.campaign_rows import Renumber, renumbered
from workbench.workflow.upkeep.verify import verify

TIDES = CampaignMove("harbour", "tides")


@pytest.fixture
def source(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """An instance with a campaign without accounts, its records of every kind, and a release."""
    (tmp_path / "source").mkdir()
    with opened_copy(migrated_sqlite, tmp_path / "source") as database:
        with database.writing() as db:
            campaign_id = filled_campaign(db)
        filled_release(database, campaign_id)
        yield database


@pytest.fixture
def staffed(migrated_sqlite: Path, tmp_path: Path) -> Iterator[tuple[Database, Cast]]:
    """An instance in which people work."""
    (tmp_path / "staffed").mkdir()
    with opened_copy(migrated_sqlite, tmp_path / "staffed") as database:
        yield database, assemble(database)


def sound(database: Database) -> bool:
    return not verify(database).findings


@pytest.mark.engines
def test_a_moved_campaign_has_new_numbers_and_gives_the_same_release(
    source: Database, own_database: Database
) -> None:
    # What is there already has the first numbers of every table.
    with own_database.writing() as db:
        filled_campaign(db)
        db.execute(update(CampaignRow).values(slug="another"))
    with source.writing() as db:
        # A decision may be about an answer of which no event is known.
        decision = db.scalars(select(AdjudicationEventRow).order_by(AdjudicationEventRow.id)).first()
        assert decision is not None
        decision.seen = [[0, *decision.seen[0][1:]], *decision.seen[1:]]
    copied = move_campaign(source, own_database, CampaignMove("harbour", "harbour"))
    # As `filled_campaign` has them: 5 + 4 + 3 grades and one in a discussion.
    assert copied.contents.count("judgment_event") == 13
    with own_database.reading() as db:
        moved = campaign_by_slug(db, "harbour")
        first = db.scalars(
            select(JudgmentEventRow.id).where(JudgmentEventRow.campaign_id == moved.id)
        ).first()
        assert first is not None
        assert first > 13
        ours = set(db.scalars(select(JudgmentEventRow.id).where(JudgmentEventRow.campaign_id == moved.id)))
        people = set(db.scalars(select(AssessorRow.id).where(AssessorRow.campaign_id == moved.id)))
        seen = db.scalars(
            select(AdjudicationEventRow.seen).where(AdjudicationEventRow.campaign_id == moved.id)
        ).all()
        assert {event for one in seen for event, *_ in one} <= ours | {0}
        assert sum(event == 0 for one in seen for event, *_ in one) == 1
        assert {who for one in seen for _, who, *_ in one} <= people
        (stored,) = db.scalars(select(ReleaseRow.id)).all()
        stored_bytes = b"".join(read_parts(db, stored))
    with source.reading() as db:
        assert b"".join(read_parts(db, db.scalars(select(ReleaseRow.id)).one())) == stored_bytes
        assert db.scalar(select(CampaignRow.archived_at)) is not None
        numbers = db.scalar(select(CampaignRow.id)) or 0
    assert sound(own_database)
    # A further release of all that is recorded is the same byte for byte.
    with source.writing() as db:
        db.execute(update(CampaignRow).values(archived_at=None))
    again, there = (
        filled_release(database, number, version="2.0")
        for database, number in ((source, numbers), (own_database, moved.id))
    )
    assert again.release.sha256 == there.release.sha256


def test_a_decision_about_a_judgment_that_is_not_there_is_named() -> None:
    def number(table: str, number: int) -> int:
        return {("adjudication_event", 7): 9, ("campaign", 1): 2, ("assessor", 4): 5}[table, number]

    decision = {"id": 7, "campaign_id": 1, "account_id": None, "said": '[[null, 4, "grade", 1]]'}
    assert renumbered("adjudication_event", decision, number)["said"] == '[[null, 5, "grade", 1]]'
    decision["said"] = '[[3, 4, "grade", 1]]'
    with pytest.raises(WorkbenchError, match="decision 7 is about judgment 3 by assessor 4"):
        renumbered("adjudication_event", decision, number)


@pytest.mark.slow
def test_a_learners_pool_is_replayed_where_it_was_moved_to(
    migrated_sqlite: Path, tmp_path: Path, own_database: Database
) -> None:
    (tmp_path / "judged").mkdir()
    with opened_copy(migrated_sqlite, tmp_path / "judged") as database:
        with database.writing() as db:
            live = learner_pool(db, budget=6)
        rounds_of(database, live)
        judge_all(database, live, "Ada", "Ben")
        slug = live.made.campaign.slug
        move_campaign(database, own_database, CampaignMove(slug, slug))
    with own_database.reading() as db:
        replay = replay_pool(db, campaign_by_slug(db, slug).id, live.name)
    assert replay.differences == ()
    assert replay.rankings > 1
    assert sound(own_database)


def test_people_come_along_and_administer_nothing(
    staffed: tuple[Database, Cast], own_database: Database
) -> None:
    database, cast = staffed
    with database.writing() as db:
        waived = {
            WAIVED: [{"assignment": cast.assignments["Ben", "T1"], "by": cast.accounts["Olga"].id, "at": ""}]
        }
        db.execute(update(CampaignRow).values(desk_rules=waived))
    with own_database.writing() as db:
        # So that the numbers of accounts differ.
        db.add(AccountRow(login="zoe", name="Zoe", password_hash="-", created_at=func.now()))
    move_campaign(database, own_database, CampaignMove(cast.slug, cast.slug))
    with own_database.reading() as db:
        logins = dict(db.execute(select(AccountRow.login, AccountRow.id)).all())
        # Otto took no part.
        assert logins.keys() == {"zoe", "olga", "ada", "ben", "judith", "vera", "petra"}
        assert not db.scalars(select(AccountRow.id).where(AccountRow.administrator)).all()
        campaign = db.scalars(select(CampaignRow)).one()
        roles = dict(db.execute(select(MemberRow.account_id, MemberRow.role)).all())
        assert roles[logins["judith"]] == "adjudicator"
        ben = db.scalars(
            select(AssignmentRow.id)
            .join(AssessorRow)
            .where(AssessorRow.name == "Ben", AssignmentRow.topic == "T1")
        ).one()
        assert is_waived(campaign.desk_rules, ben)
        assert campaign.desk_rules[WAIVED][0]["by"] == logins["olga"]
    assert sound(own_database)


def test_equal_sign_in_names_are_one_person_only_if_somebody_says_so(
    staffed: tuple[Database, Cast], own_database: Database
) -> None:
    database, cast = staffed
    with own_database.writing() as db:
        db.add(AccountRow(login="ada", name="Another Ada", password_hash="-", created_at=func.now()))
    with pytest.raises(Conflict, match="ada"):
        move_campaign(database, own_database, CampaignMove(cast.slug, cast.slug))
    with database.reading() as db:
        assert db.scalar(select(CampaignRow.archived_at)) is None
    move_campaign(database, own_database, CampaignMove(cast.slug, cast.slug, same_people=True))
    with own_database.reading() as db:
        ada = db.scalars(select(AccountRow).where(AccountRow.login == "ada")).one()
        assert (ada.name, ada.password_hash) == ("Another Ada", "-")
        assert db.scalar(select(AssessorRow.account_id).where(AssessorRow.name == "Ada")) == ada.id


def test_nothing_is_moved_onto_itself_over_another_or_from_nowhere(
    source: Database, own_database: Database
) -> None:
    with pytest.raises(Conflict):
        move_campaign(source, source, TIDES)
    with pytest.raises(NotFound):
        move_campaign(source, own_database, CampaignMove("nothing", "nothing"))
    with own_database.writing() as db:
        filled_campaign(db)
    with pytest.raises(Conflict):
        move_campaign(source, own_database, CampaignMove("harbour", "harbour"))


def test_a_copy_that_is_not_the_same_is_not_kept(
    source: Database, own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(table: str, values: dict[str, object], number: Renumber) -> dict[str, object]:
        found = renumbered(table, values, number)
        return (
            found | {"run_count": 0}
            if table == PoolEntryRow.__tablename__ and found["docno"] == "d1"
            else found
        )

    filled = campaign_move._Copy.fill

    def fill(copy: campaign_move._Copy, *args: Any, **more: Any) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(campaign_move, "renumbered", forgetful)
            filled(copy, *args, **more)

    monkeypatch.setattr(campaign_move._Copy, "fill", fill)
    with pytest.raises(WorkbenchError, match="pool_entry"):
        move_campaign(source, own_database, TIDES)
    with own_database.reading() as db:
        assert db.scalar(select(func.count()).select_from(CampaignRow)) == 0
    with source.reading() as db:
        assert db.scalar(select(CampaignRow.archived_at)) is None
