"""The packed form of a run: a part of it gives what the plain reader and the one order give."""

from __future__ import annotations

import io

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.written_runs import odd_runs
from tests.support import examples
from workbench.errors import InvalidInput
from workbench.formats.packed_form import Head, PackedForm, as_arrays, head_of, pack
from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.packed_runs import read_packed
from workbench.formats.runs import cut, read_run
from workbench.records import Ranking, Run, TieRule

TIES = st.sampled_from(TieRule)
# Two topics of uneven length; of the second three documents tie at the first cut.
UNEVEN = Run(
    "t",
    {"9": Ranking(("a",), (1.0,)), "10": Ranking(("c", "a", "b", "d"), (2.0, 2.0, 2.0, 7.0))},
)


def form_of(run: Run) -> PackedForm:
    arrays = as_arrays(run)
    assert arrays is not None
    return pack(arrays)


def head(form: PackedForm, depth: int | None) -> Head:
    """What is read of a form to a depth: its parts alone."""
    parts = [form.arrays[start : start + length] for start, length in form.layout.ranges(depth)]
    return head_of(form.layout, depth, *parts)


def top(form: PackedForm, depth: int, ties: TieRule) -> Run:
    """The tops, read on as long as ties need it."""
    reach = depth
    while not (read := head(form, reach)).settles(depth, ties):
        reach += 1
    return read.run("t", form.topics).top(depth, ties=ties)


def same_from_the_form(content: bytes, depth: int, ties: TieRule) -> None:
    """Compare whole and tops with the plain reader."""
    plain = read_run(io.BytesIO(content), source="r").run
    arrays = as_arrays(plain)
    if arrays is None:
        return
    form = pack(arrays)
    restored = head(form, None).run(plain.tag, form.topics).whole()
    assert (restored, list(restored.rankings)) == (plain, list(plain.rankings))
    expected = cut(plain, depth, ties)
    found = top(form, depth, ties)
    assert (found.rankings, list(found.rankings)) == (expected.rankings, list(expected.rankings))


@given(odd_runs(), st.sampled_from([0, 1, 2, 3, 7, 1000]), TIES)
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
def test_a_form_gives_what_the_plain_reader_and_the_one_order_give(
    content: bytes, depth: int, ties: TieRule
) -> None:
    try:
        read_run(io.BytesIO(content), source="r")
    except InvalidInput:
        return
    same_from_the_form(content, depth, ties)


@given(odd_runs())
@settings(max_examples=examples(33), suppress_health_check=[HealthCheck.too_slow])
def test_the_form_is_the_same_whichever_reader_read_the_run(content: bytes) -> None:
    try:
        fast = read_packed(io.BytesIO(content), source="r")
    except (NotUnderstood, InvalidInput):
        return
    assert pack(fast) == form_of(read_run(io.BytesIO(content), source="r").run)


def test_a_tie_across_the_cut_is_settled_only_by_reading_on() -> None:
    form = form_of(UNEVEN)
    # The second of topic 10 is c for trec_eval; under another rule any of the three that tie may be.
    assert head(form, 2).settles(2, TieRule.TREC_EVAL)
    assert [head(form, reach).settles(2, TieRule.FILE) for reach in (2, 3, 4)] == [False, False, True]
    assert head(form, 2).settles(1, TieRule.FILE)
    assert top(form, 2, TieRule.DOCNO_ASCENDING).rankings["10"].docnos == ("d", "a")


def test_topics_without_documents_are_held() -> None:
    for topics in ({}, {"1": ()}, {"1": (), "2": ("a", "b"), "3": ()}, {"1": ("a",), "2": (), "3": ("b",)}):
        run = Run("t", {topic: Ranking(docnos, (1.0,) * len(docnos)) for topic, docnos in topics.items()})
        form = form_of(run)
        assert head(form, None).run("t", form.topics).whole() == run
        assert top(form, 1, TieRule.TREC_EVAL) == cut(run, 1, TieRule.TREC_EVAL)
