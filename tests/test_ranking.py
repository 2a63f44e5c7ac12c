"""The one order of a run, against the worked cases and a plain statement of the rules."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support import cases
from workbench.ranking import Docnos, arranged, array_order, ordered, score_order, ties_ordered, top
from workbench.records import Ranking, TieRule

RANKINGS = st.dictionaries(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=4),
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-30, -3.5, 1e300]),
    max_size=12,
).map(lambda scores: Ranking(tuple(scores), tuple(scores.values())))


def ranking_of(pairs: list[tuple[str, str]]) -> Ranking:
    """A ranking from docnos and scores as text."""
    return Ranking(tuple(docno for docno, _ in pairs), tuple(float(score) for _, score in pairs))


def test_the_order_is_trec_evals() -> None:
    for name in ("ties_by_docno_descending", "docno_order_is_bytewise", "scores_are_numeric"):
        case = cases("20_pooling_depth_k.json")[name]
        assert list(ordered(ranking_of(case["input"]["docno_score"]))) == case["expected"]["order"], name


def test_the_three_tie_rules_by_hand() -> None:
    ranking = ranking_of([("b", "1"), ("c", "1"), ("a", "1"), ("z", "2")])
    assert ordered(ranking, ties=TieRule.TREC_EVAL) == ("z", "c", "b", "a")
    assert ordered(ranking, ties=TieRule.DOCNO_ASCENDING) == ("z", "a", "b", "c")
    assert ordered(ranking, ties=TieRule.FILE) == ("z", "b", "c", "a")


def test_docnos_beyond_the_basic_plane_and_raw_bytes_are_ordered_as_bytes() -> None:
    # As bytes: 0xff > 0xf0 9f (a rook) > 0xef (U+FFFD); as Python strings the rook would come first.
    ranking = Ranking(("\udcff", "\U0001f5fc", "\ufffd"), (1.0, 1.0, 1.0))
    assert ordered(ranking) == ("\udcff", "\U0001f5fc", "\ufffd")


def test_a_difference_below_single_precision_counts() -> None:
    # trec_eval 9.0.8 (2023) and 10.0 keep doubles: case near_ties_float64 of 30_formats_trec_eval.json.
    assert ordered(ranking_of([("A", "1.00000000"), ("B", "1.00000001")])) == ("B", "A")


@given(RANKINGS, st.integers(0, 14), st.sampled_from(TieRule))
def test_the_top_is_the_beginning_of_the_whole_order(ranking: Ranking, depth: int, ties: TieRule) -> None:
    assert top(ranking, depth, ties=ties) == ordered(ranking, ties=ties)[:depth]


@given(RANKINGS, st.sampled_from(TieRule), st.booleans())
def test_the_order_is_that_of_its_plain_statement(
    ranking: Ranking, ties: TieRule, sorted_already: bool
) -> None:
    scored = dict(zip(ranking.docnos, ranking.scores, strict=True))
    docnos = list(ranking.docnos)
    if ties is not TieRule.FILE:
        docnos.sort(key=str.encode, reverse=ties is TieRule.TREC_EVAL)
    docnos.sort(key=lambda docno: -scored[docno])
    if sorted_already:
        ranking = Ranking(tuple(docnos), tuple(scored[docno] for docno in docnos))
    assert ordered(ranking, ties=ties) == tuple(docnos)


# Docnos whose first eight bytes are those of all or of many others, and some of one word only.
TIED = st.lists(
    st.tuples(st.sampled_from(["", "LA010189", "LA010190"]), st.integers(0, 40).map(str), st.integers(0, 3)),
    min_size=1,
    max_size=30,
    unique_by=lambda drawn: drawn[:2],
)


def _arrays(
    drawn: list[tuple[str, str, int]],
) -> tuple[list[str], Docnos, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    names = [before + number for before, number, _ in drawn]
    return names, np.array([name.encode() for name in names], "S16"), np.array([float(s) for *_, s in drawn])


@given(TIED, st.sampled_from(TieRule))
def test_the_order_in_arrays_is_that_of_strings(drawn: list[tuple[str, str, int]], ties: TieRule) -> None:
    names, docnos, scores = _arrays(drawn)
    order = array_order(docnos, scores, np.zeros(len(names), np.intp), ties)
    ranking = Ranking(tuple(names), tuple(scores.tolist()))
    assert tuple(names[at] for at in order) == ordered(ranking, ties=ties)


@given(TIED, st.sampled_from(TieRule), st.integers(1, 3))
def test_whoever_asks_for_kinds_gets_those_of_the_whole_order(
    drawn: list[tuple[str, str, int]], ties: TieRule, many: int
) -> None:
    _, docnos, scores = _arrays(drawn)
    numbers, kinds = np.arange(len(drawn)) // 20, np.arange(len(drawn)) % many
    by_kind = ties_ordered(score_order(scores, numbers), docnos, scores, numbers, ties, kinds=kinds)
    whole = array_order(docnos, scores, numbers, ties)
    assert sorted(arranged(np.arange(len(drawn)), by_kind).tolist()) == sorted(whole.tolist())
    assert arranged(kinds, by_kind).tolist() == kinds[whole].tolist()
    assert arranged(scores, by_kind).tolist() == scores[whole].tolist()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=30))
def test_the_order_by_score_is_that_of_a_stable_sort(drawn: list[tuple[int, int]]) -> None:
    numbers = np.array([number for number, _ in drawn], dtype=np.intp)
    scores = np.array([score for _, score in drawn], dtype=np.float64)
    expected = sorted(range(len(drawn)), key=lambda at: (drawn[at][0], -drawn[at][1]))
    order = score_order(scores, numbers)
    assert arranged(np.arange(len(drawn)), order).tolist() == expected
    assert (order is None) == (expected == list(range(len(drawn))))
