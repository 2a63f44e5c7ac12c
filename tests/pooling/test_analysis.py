"""The growth, examination and analysis of runs and pools, on examples worked by hand."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pooling.by_pool import cut_ties, decided, growth, incidence_of_entries, overlap, summarise
from tests.pooling.some_runs import ABC, MANY_SCORES, Scores, ranked, run
from tests.support import shared
from workbench.errors import Conflict, WorkbenchError
from workbench.formats.runs import read_run_leading
from workbench.pooling.analysis import (
    BEYOND,
    PARTS,
    TABLES,
    Analysis,
    MadePool,
    PoolContributors,
    TopicCounts,
    TopicPart,
    analysis,
    count_topic,
    examine,
    short_depths,
)
from workbench.pooling.contributions import Part, TopicIncidence
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import TopicSize
from workbench.records import Run, TieRule


def table(name: str, found: Analysis) -> tuple[Sequence[object], ...]:
    return tuple(TABLES[name](found).rows())


def test_the_worked_case_grows_by_three_two_none_and_five() -> None:
    # The sizes of depth_k_small: 3, 5, 5, 10 at depths 1, 2, 3, 5; three runs with five documents each.
    sizes = growth(ABC, [1, 2, 3, 5, 9])
    assert [(one.depth, one.size, one.largest_possible) for one in sizes] == [
        (1, 3, 3), (2, 5, 6), (3, 5, 9), (5, 10, 15), (9, 10, 15),
    ]  # fmt: skip
    assert sizes[1].topics == (TopicSize("1", 5, 6),)


@given(MANY_SCORES, st.lists(st.integers(1, 9), min_size=1, max_size=4), st.sampled_from(TieRule))
def test_every_size_is_that_of_the_pool_of_its_depth(
    scores: dict[str, Scores], depths: list[int], ties: TieRule
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    sizes = growth(runs, depths, ties=ties)
    assert [one.depth for one in sizes] == depths
    assert [one.topics for one in sizes] == [
        summarise(depth_pool(runs, depth=depth, ties=ties)).topics for depth in depths
    ]


@given(MANY_SCORES, st.integers(1, 4), st.sampled_from(TieRule))
def test_every_part_is_what_it_is_by_itself(scores: dict[str, Scores], depth: int, ties: TieRule) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    found = examine(iter(runs), depth=depth, ties=ties)
    at_cut = cut_ties(runs, depth=depth, ties=ties)
    longest = max((len(topic) for topics in scores.values() for topic in topics.values()), default=1)
    assert found.growth == growth(runs, range(1, min(BEYOND * depth, longest) + 1), ties=ties)
    assert found.at_depth.topics == growth(runs, [depth], ties=ties)[0].topics
    assert found.overlap.shared.tolist() == overlap(runs, depth=depth, ties=ties).shared.tolist()
    assert found.at_cut == at_cut
    assert found.decided == decided(depth_pool(runs, depth=depth, ties=ties), at_cut)


def test_a_depth_below_one_and_a_tag_twice_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="there is no pool of depth 0"):
        examine(ABC, depth=0)
    with pytest.raises(Conflict):
        examine([ABC[0], ABC[0]])


def contributed() -> Iterator[Run]:
    folder = shared("data", "trec-covid", "round1")
    with (folder / "runs.tsv").open(encoding="utf-8") as table:
        names = [row["run"] for row in csv.DictReader(table, delimiter="\t") if row["contributed"] == "yes"]
    for name in names:
        with (folder / "runs" / f"{name}.gz").open("rb") as stream:
            yield read_run_leading(stream, source=name, depth=BEYOND * 7).run


def of_abc() -> Analysis:
    """To depth 2 A has d01 d02, B d03 d06, C d09 d06; d06 and d01 are judged, d06 relevant."""
    judged = {("1", "d06"): True, ("1", "d01"): False, ("1", "elsewhere"): True}
    return analysis(examine(ABC, depth=2), groups={"B": "g", "C": "g", "Z": "h"}, counted=counted_as(judged))


def counted_as(
    judged: Mapping[tuple[str, str], bool],
) -> Callable[[TopicIncidence, PoolContributors], TopicCounts]:
    """What counts topics of which these pairs are judged, relevant or not."""

    def counted(topic: TopicIncidence, contributors: PoolContributors) -> TopicCounts:
        of_topic = {docno: relevant for (name, docno), relevant in judged.items() if name == topic.topic}
        return count_topic(topic, contributors, of_topic)

    return counted


def test_runs_and_groups_come_by_what_they_alone_bring() -> None:
    found = of_abc()
    assert found.by_run == (Part("A", 2, 2, 0, 0), Part("B", 2, 1, 1, 0), Part("C", 2, 1, 1, 0))
    # The group of B and C alone has d03, d06 and d09; A stands for itself.
    assert found.by_group == (Part("g", 3, 3, 1, 1), Part("A", 2, 2, 0, 0))
    assert table("groups", found) == (("g", 2, 3, 3, 1, 1), ("A", 1, 2, 2, 0, 0))
    assert table("contributions", found)[1] == ("B", "g", 2, 1, 1, 0)


def test_without_a_group_there_is_nothing_to_say_of_groups() -> None:
    found = analysis(examine(ABC, depth=2))
    assert found.by_group == ()
    groups = TABLES["groups"](found)
    assert groups.columns == ("group", "runs", "pairs", "alone", "relevant", "relevant_alone")
    assert not groups.rows()


def test_growth_is_followed_to_twice_the_depth() -> None:
    # The worked case: 3, 5, 5 pairs at depths 1, 2, 3; to 4 come d04, d07 and d10.
    assert table("growth", of_abc()) == (
        (1, 3, 3, 3),
        (2, 5, 2, 6),
        (3, 5, 0, 9),
        (4, 8, 3, 12),
    )
    assert table("growth-by-topic", of_abc())[0] == ("1", 1, 3, 3)


def test_short_depths_are_round_and_have_the_depth_and_the_deepest() -> None:
    long = ranked("long", [f"d{at}" for at in range(3000)])
    assert short_depths(analysis(examine([long], depth=6))) == (1, 2, 3, 4, 5, 6, 7, 10, 12)
    assert short_depths(analysis(examine([long], depth=1600)))[-4:] == (1500, 1600, 2000, 3000)
    # Five documents are all that any of these runs has.
    assert short_depths(analysis(examine(ABC, depth=100))) == (1, 2, 3, 4, 5)


def test_alike_runs_are_listed_and_near_duplicates_called_out() -> None:
    # Of 40 documents a and b share 39: 39 of 41 are .951; c shares nothing with them.
    runs = [
        ranked("a", [f"d{at}" for at in range(40)]),
        ranked("b", [f"d{at}" for at in range(1, 41)]),
        ranked("c", ["x"]),
    ]
    found = analysis(examine(runs))
    assert [(pair.first, pair.second, pair.shared) for pair in found.alike] == [
        ("a", "b", 39), ("a", "c", 0), ("b", "c", 0),
    ]  # fmt: skip
    assert found.alike[0].share == 39 / 41
    assert found.near_duplicates == found.alike[:1]
    matrix = TABLES["matrix"](found)
    assert matrix.columns == ("run", "a", "b", "c")
    assert table("matrix", found)[0] == ("a", 1.0, 39 / 41, 0.0)


def test_ties_are_told_by_run_and_topic() -> None:
    # To depth 1: A lets in one of three for topic 1 and one of two for topic 2, B one of two.
    flat = {"1": {"x": 1.0, "y": 1.0, "z": 1.0}, "2": {"x": 1.0, "y": 1.0}}
    found = analysis(examine([run("B", {"2": flat["2"]}), run("A", flat)], depth=1))
    assert table("ties", found) == (
        ("A", "1", 1.0, 1, 2),
        ("A", "2", 1.0, 1, 1),
        ("B", "2", 1.0, 1, 1),
    )
    assert table("tie-rules", found) == (
        ("trec_eval", 2, 0, 0), ("docno-ascending", 2, 2, 2), ("file", 2, 2, 2),
    )  # fmt: skip


def test_topics_stand_by_size_and_unusual_ones_are_told() -> None:
    # Sizes 5 5 5 5 20: both quartiles are 5, so the fences are 5 too.
    sizes = {"1": 5, "2": 5, "3": 20, "4": 5, "5": 5}
    runs = [
        run("A", {topic: {f"d{at:02}": -float(at) for at in range(size)} for topic, size in sizes.items()})
    ]
    found = analysis(examine(runs), counted=counted_as({("3", "d00"): True, ("3", "d01"): False}))
    assert found.topics[0] == TopicPart("3", 20, 20, 2, 1, "large")
    assert [topic.topic for topic in found.topics[1:]] == ["1", "2", "4", "5"]
    assert (found.median, found.judged, found.unusual) == (5.0, 2, found.topics[:1])


def test_a_pool_that_is_made_has_its_own_pairs_whatever_its_runs_have() -> None:
    # A pool of another strategy, with a document that somebody added by hand.
    entries = [("1", "d01", ["A"]), ("1", "d10", ["C"]), ("1", "hand", [])]
    pool = MadePool(incidence_of_entries(["A", "B", "C"], entries), {"1": 4})
    found = analysis(examine(ABC, depth=2), pool=pool)
    assert found.by_run == (Part("A", 1, 1), Part("C", 1, 1), Part("B", 0, 0))
    assert (found.pairs, found.largest_possible) == (3, 4)
    assert found.growth[1].size == 5


def test_runs_without_documents_are_nothing_to_be_afraid_of() -> None:
    found = analysis(examine([run("A", {}), run("B", {})]))
    assert (found.pairs, found.median, tuple(found.alike), found.topics) == (0, 0.0, (), ())
    assert all(TABLES[name](found) for name in TABLES)


def test_every_part_of_the_terminal_has_tables() -> None:
    assert {name for names in PARTS.values() for name in names} <= TABLES.keys()
