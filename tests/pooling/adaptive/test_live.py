"""An adaptive pool at work: handing out, answers of all kinds, and coming out again from its events."""

from __future__ import annotations

import pytest

from tests.pooling.by_pool import replay
from tests.pooling.some_runs import ABC, ranked
from workbench.errors import Conflict, WorkbenchError
from workbench.pooling.adaptive_pool import Happening, PoolEvent
from workbench.pooling.strategies import ADAPTIVE, start
from workbench.records import TieRule

EVERY = pytest.mark.parametrize("strategy", ADAPTIVE)


@EVERY
def test_what_comes_back_is_handed_out_again_and_leaves_the_budget(strategy: str) -> None:
    pool = start(ABC, strategy=strategy, parameters={"budget": 1})
    docno = pool.next("1")
    assert docno is not None
    assert pool.next("1") is None
    pool.give_back("1", docno)
    assert pool.pool().entries == ()
    assert pool.next("1") is not None


@EVERY
def test_what_was_judged_before_is_not_handed_out_but_teaches(strategy: str) -> None:
    pool = start([ranked("A", ["x", "y"]), ranked("B", ["z", "y"])], strategy=strategy)
    pool.judged("1", "x", False)
    pool.judged("1", "z", True)
    assert [pool.next("1"), pool.next("1")] == ["y", None]
    assert pool.pool().pairs == {("1", "y")}


@EVERY
def test_an_answer_that_is_no_grade_ends_the_document_and_teaches_nothing(strategy: str) -> None:
    asked = start(ABC, strategy=strategy, parameters={"budget": 10})
    first = asked.next("1")
    assert first is not None
    before = start(ABC, strategy=strategy, parameters={"budget": 10})
    assert before.next("1") == first
    asked.judged("1", first, None)
    # As good as still out.
    assert asked.next("1") == before.next("1")


@EVERY
def test_a_judgment_of_a_document_that_no_run_has_is_taken_without_effect(strategy: str) -> None:
    pool, other = start(ABC, strategy=strategy), start(ABC, strategy=strategy)
    pool.judged("1", "by hand", True)
    pool.judged("by hand", "d01", True)
    assert pool.next("1") == other.next("1")
    assert len(pool.events) == 3


@EVERY
def test_a_changed_answer_leaves_no_trace_of_the_first(strategy: str) -> None:
    changed, right = start(ABC, strategy=strategy), start(ABC, strategy=strategy)
    for number in (1, 3, 7):
        changed.judged("1", f"d{number:02}", number == 7)
        right.judged("1", f"d{number:02}", number != 7)
    for number in (7, 1, 3):
        changed.judged("1", f"d{number:02}", number != 7)
    assert [changed.next("1") for _ in range(5)] == [right.next("1") for _ in range(5)]


def test_events_say_what_happened_in_order() -> None:
    pool = start(ABC, strategy="max-mean")
    docno = pool.next("1")
    assert docno == "d01"
    pool.give_back("1", docno)
    pool.next("1")
    pool.judged("1", docno, True)
    assert pool.events == (
        PoolEvent(Happening.HANDED_OUT, "1", "d01"),
        PoolEvent(Happening.GIVEN_BACK, "1", "d01"),
        PoolEvent(Happening.HANDED_OUT, "1", "d01"),
        PoolEvent(Happening.JUDGED, "1", "d01", True),
    )


def test_a_replay_with_other_runs_is_refused() -> None:
    pool = start(ABC, strategy="max-mean")
    pool.next("1")
    with pytest.raises(Conflict, match="for topic 1 not d01 but d03 comes next"):
        replay(ABC[1:], pool.events, strategy="max-mean")
    with pytest.raises(Conflict, match="for topic 1 not d01 but nothing comes next"):
        replay([], pool.events, strategy="max-mean")


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (PoolEvent(Happening.HANDED_OUT, "1", "d01"), "d01 cannot be handed out for topic 1"),
        (PoolEvent(Happening.HANDED_OUT, "1", "d02"), "d02 cannot be handed out for topic 1"),
        (PoolEvent(Happening.HANDED_OUT, "1", "absent"), "absent cannot be handed out for topic 1"),
        (PoolEvent(Happening.GIVEN_BACK, "1", "d02"), "d02 is not out for topic 1"),
        (PoolEvent(Happening.GIVEN_BACK, "1", "d05"), "d05 is not out for topic 1"),
        (PoolEvent(Happening.HANDED_OUT, "2", "d01"), "no run has documents for topic 2"),
    ],
)
def test_an_event_that_cannot_have_happened_is_refused_and_not_kept(event: PoolEvent, message: str) -> None:
    pool = start(ABC, strategy="max-mean")
    assert pool.next("1") == "d01"  # is out
    pool.next("1")
    pool.judged("1", "d02", False)  # is judged
    before = pool.events
    with pytest.raises(Conflict, match=message):
        pool.record(event)
    assert pool.events == before


@EVERY
@pytest.mark.parametrize("parameters", [{"budget": 0}, {"depth": 0}])
def test_a_pool_of_nothing_is_refused(strategy: str, parameters: dict[str, int]) -> None:
    with pytest.raises(WorkbenchError, match="judges nothing"):
        ADAPTIVE[strategy].build(ABC, ties=TieRule.FILE, **{"depth": 1, "budget": 1, **parameters})


@EVERY
def test_to_ask_what_comes_next_changes_nothing(strategy: str) -> None:
    pool = start(ABC, strategy=strategy, parameters={"budget": 3})
    coming = pool.coming("1")
    assert (pool.coming("1"), pool.events, pool.left("1")) == (coming, (), 3)
    assert pool.next("1") == coming
    assert pool.left("1") == 2


@EVERY
def test_a_document_whose_answer_was_taken_back_can_come_back(strategy: str) -> None:
    pool = start(ABC, strategy=strategy)
    docno = pool.next("1")
    assert docno is not None
    pool.judged("1", docno, True)
    with pytest.raises(Conflict):
        pool.give_back("1", docno)
    pool.judged("1", docno, None)
    pool.give_back("1", docno)
    assert pool.pool().entries == ()
    # As if it had never been out, but for the number that Thompson's draws are made from.
    if strategy != "thompson":
        assert pool.next("1") == docno
