"""Which runs contributed what, and what only one of them did."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.pooling.by_pool import contributions, incidence_of_entries, incidence_of_pool
from tests.pooling.some_runs import ABC, MANY_SCORES, Scores, ranked, run
from tests.support import cases
from workbench.pooling.contributions import Incidence, Part, incidence_of_tops, uniques
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import gather
from workbench.records import TieRule


def plain(incidence: Incidence) -> set[tuple[str, str, str]]:
    """Every (tag, topic, docno)."""
    return {
        (incidence.tags[tag], topic.topic, topic.docnos[document])
        for topic in incidence.topics
        for tag, document in zip(topic.runs.tolist(), topic.documents.tolist(), strict=True)
    }


def test_the_tops_of_three_runs_are_who_has_what_to_the_depth() -> None:
    found = incidence_of_tops(gather(ABC, depth=5), 2)
    assert found.tags == ("A", "B", "C")
    assert plain(found) == {
        ("A", "1", "d01"), ("A", "1", "d02"),
        ("B", "1", "d03"), ("B", "1", "d06"),
        ("C", "1", "d09"), ("C", "1", "d06"),
    }  # fmt: skip
    # What only stands deeper is not there at all.
    assert found.topics[0].docnos == ("d01", "d02", "d03", "d06", "d09")
    assert found.pairs == 5


def test_a_document_that_no_run_brought_is_a_pair_all_the_same() -> None:
    found = incidence_of_entries(["b", "a"], [("1", "x", ["b"]), ("1", "y", [])])
    assert found.tags == ("a", "b")
    assert (found.pairs, plain(found)) == (2, {("b", "1", "x")})


@given(MANY_SCORES, st.integers(1, 5), st.integers(0, 3), st.sampled_from(TieRule))
def test_tops_gathered_deeper_are_the_pool_of_their_depth(
    scores: dict[str, Scores], depth: int, deeper: int, ties: TieRule
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    tops = incidence_of_tops(gather(runs, depth=depth + deeper, ties=ties), depth)
    pool = depth_pool(runs, depth=depth, ties=ties)
    assert plain(tops) == plain(incidence_of_pool(pool))
    assert {(one.topic, docno) for one in tops.topics for docno in one.docnos} == pool.pairs
    assert tops.tags == pool.tags


def test_uniques_of_groups_are_those_of_the_worked_case() -> None:
    case = cases("23_uniques_leave_out.json")["leave_out_small"]
    given_runs = case["input"]["runs"]
    runs = [ranked(tag, one["ranking"]) for tag, one in given_runs.items()]
    groups = {tag: one["group"] for tag, one in given_runs.items()}
    pool = depth_pool(runs, depth=case["input"]["depth"])
    found = uniques(pool, groups)
    assert {name: [docno for _, docno in pairs] for name, pairs in found.items()} == case["expected"][
        "uniques"
    ]
    contributing = case["expected"]["contributing_groups"]
    assert contributions(pool, groups) == tuple(
        Part(
            name,
            sum(name in names for names in contributing.values()),
            len(case["expected"]["uniques"][name]),
        )
        for name in ("g1", "g2")
    )


@given(MANY_SCORES)
def test_counts_are_those_of_the_pairs(scores: dict[str, Scores]) -> None:
    pool = depth_pool([run(tag, topics) for tag, topics in scores.items()], depth=3)
    found = uniques(pool)
    assert {part.name: part.alone for part in contributions(pool)} == {
        name: len(pairs) for name, pairs in found.items()
    }
    assert sum(part.pairs for part in contributions(pool)) == sum(
        len(one.contributions) for one in pool.entries
    )
    assert set().union(*found.values()) <= pool.pairs
