"""Move-to-front by hand: the three runs of the worked cases, and where the paper leaves a choice."""

from __future__ import annotations

from tests.pooling.some_runs import ABC, ABC_RELEVANT, ranked
from workbench.pooling.adaptive_pool import Adaptive
from workbench.pooling.strategies import start
from workbench.records import Run


def adaptive(runs: list[Run], **parameters: int) -> Adaptive:
    return start(runs, strategy="move-to-front", parameters=parameters)


def judged_in_order(pool: Adaptive) -> list[str]:
    order: list[str] = []
    while (docno := pool.next("1")) is not None:
        order.append(docno)
        pool.judged("1", docno, docno in ABC_RELEVANT)
    return order


def test_a_run_is_followed_while_it_brings_relevant_documents() -> None:
    # All at 100, A first: d01 relevant, d02 not (99). B: d03, d06 relevant, comes by d01 (relevant), d07 not
    # (99). C: d09 not (99). All at 99, A first: comes by d03 (relevant: 100), d04 relevant, d05 not, at its
    # end. B: d08 not, at its end. C: comes by d06 (100) and d02 (99), d10 not (98), comes by d04.
    assert judged_in_order(adaptive(ABC)) == [
        "d01", "d02", "d03", "d06", "d07", "d09", "d04", "d05", "d08", "d10",
    ]  # fmt: skip


def test_a_reduction_to_nothing_forgets_how_often_a_run_failed() -> None:
    # n1 .. n3 are not relevant. In steps of 1: A n1 (99), B d01 (100), n2 (99), A n3 (98), B d03.
    # All at once: A n1 (0), B d01 (100), n2 (0), A n3 (0), A d04 relevant before B's d03.
    runs = [ranked("A", ["n1", "n3", "d04"]), ranked("B", ["d01", "n2", "d03"])]
    assert judged_in_order(adaptive(runs)) == ["n1", "d01", "n2", "n3", "d03", "d04"]
    assert judged_in_order(adaptive(runs, reduction=100)) == ["n1", "d01", "n2", "n3", "d04", "d03"]
    assert judged_in_order(adaptive(runs, maximum=1)) == ["n1", "d01", "n2", "n3", "d04", "d03"]


def test_what_is_not_judged_yet_leaves_the_priority_as_it_is() -> None:
    # Four assessors take from A before any answer; then d02 turns out bad, and B goes first.
    pool = adaptive(ABC)
    assert [pool.next("1") for _ in range(3)] == ["d01", "d02", "d03"]
    pool.judged("1", "d02", False)
    assert pool.next("1") == "d06"  # B comes by d03, which is out


def test_an_answer_counts_where_the_document_stands_not_when_it_came() -> None:
    # A came by d01 and then d02: relevant, then not: 99, whichever is answered first.
    pool = adaptive(ABC)
    assert [pool.next("1"), pool.next("1")] == ["d01", "d02"]
    pool.judged("1", "d02", False)
    pool.judged("1", "d01", True)
    assert pool.next("1") == "d03"
    assert {one.tag for one in pool.pool().entries[-1].contributions} == {"A", "B"}
    # B brought d03: its next is d06, A's would be d04.
    assert pool.next("1") == "d06"
