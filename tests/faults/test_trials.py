"""The trials of a large campaign, in a small one: what they do, and what they take for wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.benchmarks.large_campaign import SIZES, build
from tests.databases import opened
from tests.faults.judges import PersistentJudge, Seat, losses
from tests.faults.large_site import Read, large_seats, large_site, newest_event
from tests.faults.trials import try_trouble, wrong_of
from tests.faults.troubles import TROUBLES
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate

SEAT = Seat("Assessor 000", "token", "account", 1, ("d1",))


def test_only_refusals_that_pass_may_be_seen_and_broken_connections_where_something_is_killed() -> None:
    judge = PersistentJudge(0, SEAT, seed=1)
    judge.failures = Counter({"503": 4, "ConnectionResetError": 2, "500": 1})
    read = {"desk": Read(Counter({"200": 9, "503": 1, "503 without Retry-After": 1}))}
    bare = "desk: 503 without Retry-After, 1 times"
    assert wrong_of(TROUBLES["killed server"], [judge], read) == ["saves: 500, 1 times", bare]
    assert wrong_of(TROUBLES["lock held"], [judge], read) == [
        "saves: ConnectionResetError, 2 times", "saves: 500, 1 times", bare,
    ]  # fmt: skip
    judge.failures.clear()
    judge.refused.append("kept aside")
    assert wrong_of(TROUBLES["lock held"], [judge], {}) == ["an answer was refused: kept aside"]


@pytest.mark.slow
def test_troubles_of_a_small_campaign_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "small.sqlite3"
    with opened(f"sqlite:///{file}") as database:
        migrate(database)
        build(database, SIZES["XS"])
    with large_site(file, tmp_path, people=3) as site:
        for name in ("killed worker", "killed server", "much JSON"):
            found = try_trouble(site, name, TROUBLES[name], seconds=2, pause=0.1)
            assert found.wrong == []
            assert found.losses.none
            assert found.losses.acknowledged > 6
            assert found.memory.together > found.memory.one > 50
            assert f"{found.losses.acknowledged} acknowledged: 0 lost" in str(found)


def test_seats_are_of_people_who_can_answer_and_older_events_do_not_count(sqlite_database: Database) -> None:
    build(sqlite_database, SIZES["XS"])
    first, second = large_seats(sqlite_database, 2)
    assert (first.name, second.name) == ("Assessor 000", "Assessor 001")
    assert len(set(first.docnos)) == 20
    judges = [PersistentJudge(0, seat, seed=1) for seat in (first, second)]
    # Each assessor has events of the campaign itself, which nobody here has sent.
    assert losses(sqlite_database, judges).misplaced > 0
    assert losses(sqlite_database, judges, after=newest_event(sqlite_database)).none
