"""Large imports of judgments: accepted whole, recorded in portions while others write, each judgment once."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
from sqlalchemy import func, select, text

from tests.builders import account, campaign_with_people, send_runs
from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.records import FOUR_GRADES, Document, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import ImportPortionRow, JudgmentEventRow, JudgmentImportRow
from workbench.workflow.campaigns.archive import archive_campaign
from workbench.workflow.campaigns.campaigns import change_campaign
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.campaigns.deletion import delete_campaign
from workbench.workflow.campaigns.imports_under_way import imports_under_way
from workbench.workflow.judging import large_imports
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.judging.importing import GivenJudgments
from workbench.workflow.judging.judgment_files import judgment_table
from workbench.workflow.judging.large_imports import (
    finish_imports,
    import_in_portions,
    remove_leftovers,
    resume_stalled,
)
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.people.membership import add_role
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.making import make_pool

pytestmark = pytest.mark.engines

# Seven judgments, three in a portion: 3 + 3 + 1.
FIRST = tuple(Judgment("X", "T1", f"n{number}", number % 2) for number in range(4))
SECOND = tuple(Judgment("Y", "T2", f"n{number}", 1) for number in range(3))
FILES = (GivenJudgments((*FIRST, *SECOND), "f.tsv"),)


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def campaign(database: Database, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(large_imports, "PORTION", 3)
    monkeypatch.setattr(large_imports, "PAUSE", 0)
    with database.writing() as db:
        return campaign_with_people(db).campaign.id


def between(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], object]) -> None:
    """Have `act` called after each transaction of an import, with how many came before it."""
    calls = iter(range(1000))
    monkeypatch.setattr(time, "sleep", lambda _: act(next(calls)))


def kill(monkeypatch: pytest.MonkeyPatch, database: Database, campaign: int, *, after: int) -> None:
    """Begin the import, and end it after so many pauses."""

    def end(calls: int) -> None:
        if calls == after:
            raise Killed

    with monkeypatch.context() as killed:
        between(killed, end)
        # What a process that is killed cannot do.
        killed.setattr(large_imports, "_remove", lambda *_: None)
        with suppress(Killed):
            import_in_portions(database, campaign, FILES)


def counted(database: Database) -> tuple[int, int, int]:
    """How many events, imports and portions there are."""
    with database.reading() as db:
        tables = JudgmentEventRow, JudgmentImportRow, ImportPortionRow
        events, imports, portions = (
            db.scalar(select(func.count()).select_from(table)) or 0 for table in tables
        )
        return events, imports, portions


def under_way(database: Database, campaign: int) -> list[tuple[int, int]]:
    with database.reading() as db:
        return [(one.imported, one.judgments) for one in imports_under_way(db, campaign)]


def judged(database: Database, campaign: int) -> set[Judgment]:
    with database.reading() as db:
        return set(current_judgments(db, campaign))


def test_an_import_is_recorded_in_portions_between_which_others_write(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, seen = Database(database.url), []

    def look(_: int) -> None:
        with other.writing() as db:
            db.execute(text("update campaign set guidelines = 'new'"))
        seen.append((counted(database), under_way(database, campaign)))

    between(monkeypatch, look)
    try:
        (done,) = import_in_portions(database, campaign, FILES)
    finally:
        other.close()
    assert [(one.name, one.judgments, one.new) for one in done.assessors] == [("X", 4, 4), ("Y", 3, 3)]
    # Stored and unseen; accepted with the first portion, of which the second is recorded; and all of them.
    assert seen == [((0, 1, 3), []), ((6, 1, 1), [(6, 7)]), ((7, 0, 0), [])]
    assert judged(database, campaign) == {*FIRST, *SECOND}


def test_few_judgments_are_recorded_in_one_transaction(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    between(monkeypatch, calls.append)
    import_in_portions(database, campaign, [GivenJudgments(FIRST[:3], "f.tsv")])
    assert (calls, counted(database)) == ([], (3, 0, 0))


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.parametrize("how", ["the next import", "a server"])
def test_what_a_killed_process_left_is_recorded_once(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch, after: int, how: str
) -> None:
    # After the pause of storing: once a portion was recorded on its own, or the last one.
    kill(monkeypatch, database, campaign, after=after)
    assert counted(database)[0] == {1: 6, 2: 7}[after]
    if how == "a server":
        resume_stalled(database)  # the portion before was recorded a moment ago
        assert counted(database)[0] == {1: 6, 2: 7}[after]
        resume_stalled(database, after=timedelta())
    else:
        (done,) = import_in_portions(database, campaign, FILES)
        assert [one.new for one in done.assessors] == [0, 0]
    assert counted(database) == (7, 0, 0)
    assert judged(database, campaign) == {*FIRST, *SECOND}


def test_what_was_killed_before_it_was_accepted_leaves_nothing(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill(monkeypatch, database, campaign, after=0)
    assert counted(database) == (0, 1, 3)
    resume_stalled(database, after=timedelta())
    finish_imports(database, campaign)
    assert (counted(database), under_way(database, campaign)) == ((0, 1, 3), [])
    remove_leftovers(database)  # it may be that the process still stores it
    assert counted(database) == (0, 1, 3)
    remove_leftovers(database, older=timedelta())
    assert counted(database) == (0, 0, 0)


def test_two_processes_that_record_the_same_portion_record_it_once(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill(monkeypatch, database, campaign, after=1)
    with database.reading() as db:
        portion = large_imports._next_portion(db, campaign)  # both have read the last one
    assert portion is not None
    recorded = []
    for _ in range(2):
        with database.writing() as db:
            recorded.append(large_imports._record(db, portion))
    assert (recorded, counted(database)) == ([1, 0], (7, 0, 0))


def test_the_same_file_sent_twice_at_once_adds_nothing(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    news: list[list[int]] = []

    def second(calls: int) -> None:
        if calls == 1:  # the first is under way
            (done,) = import_in_portions(database, campaign, FILES)
            news.append([one.new for one in done.assessors])

    between(monkeypatch, second)
    (done,) = import_in_portions(database, campaign, FILES)
    assert (news, [one.new for one in done.assessors]) == ([[0, 0]], [4, 3])
    assert counted(database) == (7, 0, 0)


def test_a_refused_file_leaves_nothing_of_any(database: Database, campaign: int) -> None:
    wrong = GivenJudgments((Judgment("Z", "T9", "d1", 1), Judgment("Z", "T1", "d1", 9)), "wrong.tsv")
    with pytest.raises(InvalidInput) as refused:
        import_in_portions(database, campaign, [*FILES, wrong])
    assert [(one.source, one.code) for one in refused.value.findings] == [
        ("wrong.tsv", "unknown-topic"),
        ("wrong.tsv", "grade"),
    ]
    assert counted(database) == (0, 0, 0)


def test_what_changes_before_an_import_is_accepted_is_checked_again(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def join(calls: int) -> None:
        if calls == 0:  # stored, and not accepted
            with database.writing() as db:
                add_role(db, campaign, account(db, "X"), Role.ASSESSOR)

    between(monkeypatch, join)
    with pytest.raises(Conflict, match="X judges here with an account of their own"):
        import_in_portions(database, campaign, FILES)
    assert counted(database) == (0, 0, 0)


def test_what_changes_after_an_import_was_accepted_does_not_reach_it(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pools, documents, people and answers change meanwhile; the scale, the archive and files wait."""

    def change(calls: int) -> None:
        if calls != 1:
            return
        with database.writing() as db:
            send_runs(db, campaign, alpha={"T1": ("n1", "n3")})
            make_pool(db, campaign)
            load_documents(db, campaign, [Document("n3", "new", "text")], source="documents")
            add_role(db, campaign, account(db, "Y"), Role.ASSESSOR)
            names = [line.name for line in assessors_of(db, campaign)]
            assert names == ["Ada", "Ben", "X", "Y", "Y 2"]  # the name is taken
            with pytest.raises(Conflict, match="grade values cannot change"):
                change_campaign(db, campaign, name="Harbour", guidelines="", scale=FOUR_GRADES)
            with pytest.raises(Conflict, match=r"6 of 7 judgments of f\.tsv are imported"):
                archive_campaign(db, campaign)
            with pytest.raises(Conflict, match="an import is under way"):
                judgment_table(db, campaign)

    between(monkeypatch, change)
    import_in_portions(database, campaign, FILES)
    assert (counted(database), judged(database, campaign)) == ((7, 0, 0), {*FIRST, *SECOND})
    with database.writing() as db:
        assert b"".join(judgment_table(db, campaign)).count(b"\n") == 8
        archive_campaign(db, campaign)


def test_deleting_the_campaign_ends_its_import(
    database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove(calls: int) -> None:
        if calls == 1:
            delete_campaign(database, campaign, typed_name="Harbour")

    between(monkeypatch, remove)
    with pytest.raises(NotFound):
        import_in_portions(database, campaign, FILES)
    assert counted(database) == (0, 0, 0)
