"""Qrels as scoring reads them: the same from records and from arrays."""

from __future__ import annotations

import io
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.written_runs import STYLES, Style, long_run
from tests.scoring.some_qrels import qrels
from tests.support import examples
from workbench.errors import WorkbenchError
from workbench.formats.packed_runs import PackedRun
from workbench.formats.qrels import read_packed_qrels, read_qrels
from workbench.formats.runs import read_run_arrays, read_run_top
from workbench.records import TieRule
from workbench.scoring.relevance import ArrayRelevance, Relevance
from workbench.scoring.scorer import Scorer


def both(content: bytes) -> tuple[Relevance, ArrayRelevance]:
    plain = Relevance(read_qrels(io.BytesIO(content), source="q"))
    return plain, ArrayRelevance(read_packed_qrels(io.BytesIO(content), source="q"))


def test_a_grade_that_cannot_be_scored_is_refused_alike() -> None:
    content = b"1 0 a 1\n1 0 b 100001\n"
    with pytest.raises(WorkbenchError) as plain:
        Relevance(read_qrels(io.BytesIO(content), source="q"))
    with pytest.raises(WorkbenchError) as arrays:
        ArrayRelevance(read_packed_qrels(io.BytesIO(content), source="q"))
    assert str(arrays.value) == str(plain.value)


def test_the_hashes_that_a_run_has_from_its_reading_find_what_its_docnos_find() -> None:
    # Topics that interleave, a topic without qrels, and docnos of one word up to 100 bytes.
    docnos = ["a", "a_docno_of_three_words", "b" * 64, "c" * 65, "c" * 99 + "d"]
    lines = [
        f"{topic} Q0 {docno} 1 {score} x\n"
        for score, docno in enumerate(docnos, 1)
        for topic in ("2", "1", "3")
    ]
    for kept in (docnos, docnos[:3], docnos[:1]):
        content = "".join(line for line in lines if line.split()[2] in kept).encode()
        read = read_run_arrays(io.BytesIO(content), source="r", depth=None)
        whole = read_run_top(io.BytesIO(content), source="r", depth=None).run
        assert isinstance(read, PackedRun)
        assert read.hashes is not None
        judged = qrels({"1": {"a": 1, "b" * 64: 2, "c" * 65: 1}, "2": {"c" * 99 + "d": 1, "x": 1}})
        scorer = Scorer(judged, "AP NumRet(rel=1)")
        assert scorer.score(read) == scorer.score(whole) == scorer.score(replace(read, hashes=None))
        assert scorer.score(read).per_topic["NumRet(rel=1)"]["1"] == len({"a", "b" * 64, "c" * 65} & {*kept})


@given(STYLES, st.integers(1, 60), st.sampled_from(TieRule), st.booleans())
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow])
def test_documents_that_are_judged_some_at_a_time_score_as_all_at_once(
    style: Style, together: int, ties: TieRule, double: bool
) -> None:
    read = read_run_arrays(io.BytesIO(long_run(style, lines=200)), source="r", depth=None)
    assert isinstance(read, PackedRun)
    whole = read.whole()
    # Every third document is judged, of the topics in another order than the run's, one of which has no run.
    grades = {
        topic: {docno: place % 4 for place, docno in enumerate(sorted(ranking.docnos)) if place % 3 == 0}
        for topic, ranking in [*whole.rankings.items()][::-1]
    }
    scorer = Scorer(qrels(grades | {"none": {"x": 1}}), "AP(rel=1) nDCG@3 ESL(rel=1,n=2)")
    with patch("workbench.scoring.run_arrays.TOGETHER", together):
        found = scorer.score(read, ties=ties, double_precision=double)
    assert found == scorer.score(whole, ties=ties, double_precision=double)
