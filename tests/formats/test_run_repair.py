"""Repairs of runs: only those with a single possible meaning, and never a byte of a score."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.formats.strategies import stream
from workbench.formats.run_check import check_run
from workbench.formats.run_report import repair_run
from workbench.formats.run_rules import RuleSet, RunRules
from workbench.formats.runs import read_run


def repaired(
    content: str | bytes, *, most: int | None = None, tag: str | None = None
) -> tuple[str, list[str]]:
    found = repair_run(stream(content), source="r", rules=RunRules(most), tag=tag)
    return found.content.decode(), [f"{change.code}:{change.lines}" for change in found.changes]


@pytest.mark.parametrize(
    ("sent", "content", "changes"),
    [
        ("1 0 a 1 2 t\n1 Q0 b 2 1 t\n", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", ["second-column:1"]),
        ("1 Q0 a 1 2 t\r\n1 Q0 b 2 1 t\r\n", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", ["line-ends:2"]),
        ("\ufeff1 Q0 a 1 2 t\n\n", "1 Q0 a 1 2 t\n", ["byte-order-mark:1", "blank:1"]),
        ("# made by x\n1 Q0 a 1 2 t\n", "1 Q0 a 1 2 t\n", ["comment:1"]),
        ("1,Q0,a,1,2,t\n1; Q0; b; 2; 1; t\n", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", ["separators:2"]),
        ("1 Q0 a 1 2 t\n1 Q0 a 1 2 t\n", "1 Q0 a 1 2 t\n", ["duplicate:1"]),
        # By scores b, a; ranks 1, 2 stand the other way round.
        ("1 Q0 a 1 2 t\n1 Q0 b 2 3 t\n", "1 Q0 a 2 2 t\n1 Q0 b 1 3 t\n", ["rank:2"]),
        # A tie: docno descending is the order, so b is first.
        ("1 Q0 a x 2 t\n1 Q0 b x 2.0 t\n", "1 Q0 a 2 2 t\n1 Q0 b 1 2.0 t\n", ["rank:2"]),
    ],
)
def test_mechanical_errors_are_repaired_and_reported(sent: str, content: str, changes: list[str]) -> None:
    assert repaired(sent) == (content, changes)


def test_a_file_that_needs_nothing_has_no_changes() -> None:
    content = "1 Q0 a 0 2 t\n1\tQ0\tb\t1\t1\tt\n"
    assert repaired(content)[1] == []


def test_the_tag_is_the_one_asked_for_else_that_of_most_lines() -> None:
    sent = "1 Q0 a 1 3 x\n1 Q0 b 2 2 y\n1 Q0 c 3 1 y\n"
    assert repaired(sent)[0].split()[5::6] == ["y", "y", "y"]
    assert repaired(sent, tag="x")[0].split()[5::6] == ["x", "x", "x"]
    assert repaired(sent, tag="elsewhere")[0].split()[5::6] == ["y", "y", "y"]


def test_a_topic_is_cut_by_score_and_the_lines_keep_their_order() -> None:
    # Scores 1, 9, 5, 7: the best two are b and d.
    sent = "1 Q0 a 4 1 t\n1 Q0 b 1 9 t\n1 Q0 c 3 5 t\n1 Q0 d 2 7 t\n"
    assert repaired(sent, most=2) == ("1 Q0 b 1 9 t\n1 Q0 d 2 7 t\n", ["too-many:2"])
    lenient = RunRules(2, RuleSet.LENIENT)
    assert repair_run(stream(sent), source="r", rules=lenient).changes == ()


@pytest.mark.parametrize(
    "left",
    [
        "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n",  # two scores for one document
        "1 Q0 a 1 nan t\n",
        "1 Q0 a 1 2\n",
        "1 Q0 a 1 1,5 t\n",
    ],
)
def test_what_needs_a_decision_is_left_as_it_is(left: str) -> None:
    content, changes = repaired(left)
    assert content == left
    assert changes == []


def test_where_scores_are_no_numbers_ranks_and_length_stay() -> None:
    sent = "1 0 a 7 x t\n1 0 b 7 2 t\n"
    assert repaired(sent, most=1) == (sent.replace(" 0 ", " Q0 "), ["second-column:2"])


def test_gzip_is_repaired_as_plain_text_is() -> None:
    assert repaired(gzip.compress(b"1 0 a 1 2 t\n"))[0] == "1 Q0 a 1 2 t\n"


SCORES = st.sampled_from(["1", "1.0", "-3e-2", "+.5", "12.50", "7E1", "0", "-0.0"])
LINES = st.lists(
    st.tuples(
        st.sampled_from("12"), st.sampled_from(["Q0", "0"]), st.sampled_from("abcdef"),
        st.sampled_from(["1", "2", "x", "0"]), SCORES, st.sampled_from(["t", "u"]),
    ),
    min_size=1, max_size=20, unique_by=lambda line: (line[0], line[2]),
)  # fmt: skip


@given(LINES, st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_a_repaired_run_has_no_error_and_every_score_to_the_byte(
    lines: list[tuple[str, ...]], end: str
) -> None:
    sent = "".join(" ".join(line) + end for line in lines)
    found = repair_run(stream(sent), source="r")
    assume("distances" not in {change.code for change in found.changes})
    kept = [(line[0], line[2], line[4]) for line in lines]
    rows = [row.split() for row in found.content.decode().splitlines()]
    assert [(row[0], row[2], row[4]) for row in rows] == kept
    check = check_run(io.BytesIO(found.content), source="r")
    assert check.errors == ()
    doubted = {"second-column", "rank", "rank-repeated", "rank-order"}
    assert not doubted & {finding.code for finding in check.warnings}
    # A repaired run needs no further repair.
    assert repair_run(io.BytesIO(found.content), source="r").changes == ()
    if len({line[5] for line in lines}) == 1:
        read = read_run(io.BytesIO(found.content), source="r").run
        assert read_run(stream(sent), source="r").run == read


DISTANCES = "".join(
    f"1 Q0 d{rank} {rank} {score} t\n" for rank, score in enumerate((0, 0.25, *range(1, 11)), 1)
)


def test_distances_are_negated_and_their_ranks_stay() -> None:
    found = repair_run(stream(DISTANCES), source="r")
    # Twelve lines, of which the score 0 needs no sign.
    assert [(change.code, change.lines) for change in found.changes] == [("distances", 11)]
    lines = found.content.decode().splitlines()
    assert lines[:3] == ["1 Q0 d1 1 0 t", "1 Q0 d2 2 -0.25 t", "1 Q0 d3 3 -1 t"]
    assert check_run(io.BytesIO(found.content), source="r").warnings == ()
    signed = DISTANCES.replace(" 0 t", " -5 t").replace(" 0.25 t", " +0.25 t")
    turned = repair_run(stream(signed), source="r").content
    assert turned.splitlines()[:2] == [b"1 Q0 d1 1 5 t", b"1 Q0 d2 2 -0.25 t"]


def test_where_reversed_ranks_are_meant_the_ranks_are_renumbered() -> None:
    rules = RunRules(rule_set=RuleSet.LENIENT)
    found = repair_run(stream(DISTANCES), source="r", rules=rules)
    assert [(change.code, change.lines) for change in found.changes] == [("rank", 12)]
