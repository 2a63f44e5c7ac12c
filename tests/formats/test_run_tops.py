"""The fast reader against the plain one: the same tops, the same refusals, whatever the file."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.strategies import codes, stream
from tests.formats.written_runs import STYLES, Style, long_run, odd_runs
from tests.support import examples
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.packed_runs import PackedRun, read_packed
from workbench.formats.run_check import Expected, RunCheck, check_run
from workbench.formats.run_rules import RuleSet, RunRules
from workbench.formats.runs import RunReading, read_run, read_run_arrays, read_run_leading, read_run_top
from workbench.formats.source import Readable, Twice
from workbench.ranking import top
from workbench.records import Ranking, Run, TieRule

LINE = "401 Q0 FT911-3 1 9.5 tagX\n"
WHOLE = "401 Q0 c 1 2 t\n401 Q0 a 2 2 t\n402 Q0 a 1 1 t\n401 Q0 b 3 2 t\n401 Q0 d 4 7 t\n"

TIES = st.sampled_from(TieRule)


def outcome(read: Callable[[], RunReading]) -> Any:
    """What a reading gave: the findings of a refusal, or tag, lines and rankings as the topics come."""
    try:
        reading = read()
    except InvalidInput as refused:
        return refused.findings
    rankings = reading.run.rankings.items()
    return reading.run.tag, reading.lines, [(topic, one.docnos, one.scores) for topic, one in rankings]


def plain(content: bytes, depth: int | None, ties: TieRule, **expected: Any) -> Any:
    """The outcome of the plain reader, cut by the one order; whole without a depth."""
    read = outcome(lambda: read_run(io.BytesIO(content), source="r", **expected))
    if depth is None or not isinstance(read[-1], list):
        return read
    run = read_run(io.BytesIO(content), source="r", **expected).run
    tops = []
    for topic, ranking in run.rankings.items():
        scores = dict(zip(ranking.docnos, ranking.scores, strict=True))
        docnos = top(ranking, depth, ties=ties)
        tops.append((topic, docnos, tuple(scores[docno] for docno in docnos)))
    return *read[:-1], tops


def in_blocks(size: int) -> AbstractContextManager[object]:
    """Have the fast reader read so many bytes at a time."""
    return patch("workbench.formats.packed_runs.BLOCK", size)


def fast(content: bytes, depth: int | None, ties: TieRule, **expected: Any) -> Any:
    """The outcome of the fast reader."""
    return outcome(lambda: read_run_top(io.BytesIO(content), source="r", depth=depth, ties=ties, **expected))


@given(odd_runs(), st.sampled_from([None, 0, 1, 2, 3, 7, 1000]), TIES, st.integers(16, 300))
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
def test_both_readers_agree_on_tops_and_refusals(
    content: bytes, depth: int | None, ties: TieRule, block: int
) -> None:
    with in_blocks(block):
        assert fast(content, depth, ties) == plain(content, depth, ties)


@given(odd_runs(), st.integers(16, 300))
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
def test_what_the_fast_reader_understands_the_plain_one_accepts(content: bytes, block: int) -> None:
    try:
        with in_blocks(block):
            packed = read_packed(io.BytesIO(content), source="r")
    except (NotUnderstood, InvalidInput):
        return
    reading = read_run(io.BytesIO(content), source="r")
    assert packed.lines == reading.lines
    assert packed.top(100, ties=TieRule.FILE).tag == reading.run.tag


@given(
    odd_runs(), st.sampled_from(RuleSet), st.sampled_from([None, 1, 3]), st.booleans(), st.integers(16, 300)
)
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
def test_a_check_finds_the_same_whether_it_reads_lines_or_arrays(
    content: bytes, rule_set: RuleSet, most: int | None, knows_topics: bool, block: int
) -> None:
    expected = Expected(
        topics=("1", "2", "MB001") if knows_topics else None, rules=RunRules(most, rule_set), cut=2
    )

    def found(opened: Readable, take: Callable[[str, Ranking], None] | None) -> RunCheck:
        return check_run(opened, source="r", file_stem="tag", expected=expected, take=take)

    by_lines = found(io.BytesIO(content), lambda topic, ranking: None)
    with in_blocks(block), closing(Twice(io.BytesIO(content), "r")) as opened:
        assert found(opened, None) == by_lines


@given(odd_runs(), st.sampled_from([1, 2, 3, 7]), st.integers(16, 300))
@settings(max_examples=examples(66), suppress_health_check=[HealthCheck.too_slow])
def test_what_leads_a_run_has_its_top_under_every_rule_and_every_tie_at_its_end(
    content: bytes, depth: int, block: int
) -> None:
    def leading() -> RunReading:
        with in_blocks(block):
            return read_run_leading(io.BytesIO(content), source="r", depth=depth)

    if not isinstance(outcome(leading)[-1], list):
        assert outcome(leading) == plain(content, depth, TieRule.FILE)
        return
    whole = read_run(io.BytesIO(content), source="r").run
    led = leading().run
    assert (led.tag, list(led.rankings)) == (whole.tag, list(whole.rankings))
    for topic, ranking in whole.rankings.items():
        for rule in TieRule:
            assert top(led.rankings[topic], depth, ties=rule) == top(ranking, depth, ties=rule)
        floor = sorted(ranking.scores)[-depth:][0]
        assert led.rankings[topic].scores.count(floor) == ranking.scores.count(floor)


@given(odd_runs(), st.sampled_from([0, 1, 2, 3, 7]), TIES)
@settings(max_examples=examples(33), suppress_health_check=[HealthCheck.too_slow])
def test_a_run_read_as_arrays_is_the_same(content: bytes, depth: int, ties: TieRule) -> None:
    def arrays() -> RunReading:
        read = read_run_arrays(io.BytesIO(content), source="r", depth=depth, ties=ties)
        return RunReading(read if isinstance(read, Run) else strings(read, depth, ties), 0, ())

    found, expected = outcome(arrays), plain(content, depth, ties)
    if isinstance(expected[-1], list):
        expected = (expected[0], 0, [(topic, docnos, ()) for topic, docnos, _ in expected[2]])
        found = (*found[:2], [(topic, docnos, ()) for topic, docnos, _ in found[2]])
    assert found == expected


def strings(packed: PackedRun, depth: int, ties: TieRule) -> Run:
    """The ranked arrays of a run as rankings, by the numbers and ranks that stand in them."""
    listed: dict[str, list[str]] = {topic: [] for topic in packed.topics}
    for number, rank, docno in zip(*packed.ranked(depth, ties=ties), strict=True):
        docnos = listed[packed.topics[number]]
        docnos.append(bytes(docno).decode("utf-8", "surrogateescape"))
        assert rank == len(docnos)
    return Run(packed.tag, {topic: Ranking(tuple(docnos), ()) for topic, docnos in listed.items()})


@given(STYLES, st.integers(1, 60), TIES)
@settings(max_examples=examples(10), deadline=None)
def test_long_runs_are_understood_and_agree(style: Style, depth: int, ties: TieRule) -> None:
    compare(style, depth, ties)


def compare(style: Style, depth: int, ties: TieRule) -> None:
    """Read two thousand lines both ways, fast in blocks of 4 KiB and without help from the plain reader."""
    content = long_run(style, lines=2000)
    with in_blocks(4096):
        packed = read_packed(io.BytesIO(content), source="r", depth=depth)
        whole = read_packed(io.BytesIO(content), source="r")
    reading = RunReading(packed.top(depth, ties=ties), packed.lines, ())
    assert outcome(lambda: reading) == plain(content, depth, ties)
    assert whole.whole() == read_run(io.BytesIO(content), source="r").run


@pytest.mark.parametrize("ties", TieRule)
def test_every_tie_rule_cuts_a_run_as_the_one_order_does(ties: TieRule) -> None:
    # Of a, b and c with the score 2, after d with 7, in the file c before a before b.
    expected = {TieRule.TREC_EVAL: "dcb", TieRule.DOCNO_ASCENDING: "dab", TieRule.FILE: "dca"}[ties]
    rankings = read_run_top(stream(WHOLE), source="r", depth=3, ties=ties).run.rankings
    assert rankings["401"].docnos == tuple(expected)
    assert rankings["401"].scores == (7.0, 2.0, 2.0)
    assert rankings["402"].docnos == ("a",)


def test_a_run_that_was_read_to_a_depth_does_not_pass_for_the_whole_run() -> None:
    with pytest.raises(WorkbenchError, match="read to depth 2"):
        read_packed(stream(WHOLE), source="r", depth=2).whole()


@pytest.mark.parametrize("topic", ["9", "a-topic-of-more-than-sixteen-bytes"])
def test_topics_and_tags_that_begin_alike_are_told_apart(topic: str) -> None:
    # Blocks end anywhere, and so each of these lines is the first of a block at one time.
    topics = [topic, topic + "1", topic + "12", topic + "1", "x"]
    content = "".join(f"{name} Q0 d{number} 1 1 t\n" for number, name in enumerate(topics)).encode()
    other = content + f"{topic} Q0 e 1 1 tt\n".encode()
    for block in range(16, len(content), 7):
        with in_blocks(block):
            packed = read_packed(io.BytesIO(content), source="r")
            with pytest.raises(NotUnderstood):
                read_packed(io.BytesIO(other), source="r")
        assert packed.whole() == read_run(io.BytesIO(content), source="r").run


def test_a_stream_that_cannot_seek_is_read_again_where_it_must_be() -> None:
    class Pipe:
        def __init__(self, content: bytes) -> None:
            self.rest = content

        def read(self, size: int, /) -> bytes:
            drop, self.rest = self.rest[: min(size, 50)], self.rest[min(size, 50) :]
            return drop

    lines = [f"401 Q0 d{number} 1 {number} tagX\n" for number in range(1400)]
    content = "".join([*lines[:700], "short\n", *lines[700:]]).encode()
    with in_blocks(500), pytest.raises(InvalidInput) as refused:
        read_run_top(Pipe(content), source="r", depth=1)
    assert codes(refused.value) == [(701, "columns")]
    with in_blocks(500):
        assert read_run_top(Pipe(content[:5000]), source="r", depth=1).lines > 100


def test_a_stream_is_read_from_where_it_stands() -> None:
    held = stream("not this\n", WHOLE, "1 Q0 a 1 x t\n")
    held.seek(9)
    with pytest.raises(InvalidInput) as refused:
        read_run_top(held, source="r", depth=1)
    assert codes(refused.value) == [(6, "score")]
