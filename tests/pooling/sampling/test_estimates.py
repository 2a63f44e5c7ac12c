"""The columns for infAP, xinfAP and statAP: the worked cases come out of them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from tests.pooling.some_runs import ABC
from tests.support import cases
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import Pair, Pool
from workbench.pooling.sampling import infap_rows, stratified_pool, xinfap_rows
from workbench.records import PoolEntry


def sampled(rows: Iterable[tuple[str, int, int]]) -> tuple[Pool, dict[Pair, int]]:
    """A pool and grades of topic 1 from docno, stratum and grade, -1 for what was not drawn."""
    strata = {("1", docno): stratum for docno, stratum, _ in rows}
    grades = {("1", docno): grade for docno, _, grade in rows if grade >= 0}
    sizes, drawn = list(strata.values()), [strata[pair] for pair in grades]
    inclusion = {pair: drawn.count(strata[pair]) / sizes.count(strata[pair]) for pair in grades}
    entries = tuple(PoolEntry(topic, docno, ()) for topic, docno in sorted(grades))
    return Pool(entries, (), {"1": len(grades)}, inclusion=inclusion, strata=strata), grades


def xinfap(rows: Iterable[tuple[str, ...]], ranking: list[str]) -> float:
    """xinfAP of one topic as defined by Yilmaz, Kanoulas and Aslam 2008 and NIST's sample_eval.pl."""
    stratum = {docno: int(number) for _, _, docno, number, _ in rows}
    grade = {docno: int(value) for _, _, docno, _, value in rows}
    numbers = set(stratum.values())
    size = {s: sum(stratum[d] == s for d in stratum) for s in numbers}
    judged = {s: sum(stratum[d] == s and grade[d] >= 0 for d in stratum) for s in numbers}
    relevant = {s: sum(stratum[d] == s and grade[d] > 0 for d in stratum) for s in numbers}
    estimated = {s: relevant[s] * size[s] / judged[s] for s in numbers}
    total = dict.fromkeys(numbers, 0.0)
    for k, docno in enumerate(ranking, 1):
        if grade.get(docno, 0) <= 0:
            continue
        above = [d for d in ranking[: k - 1] if d in stratum]
        expected = 0.0
        for s in numbers:
            here = [d for d in above if stratum[d] == s]
            seen = sum(grade[d] >= 0 for d in here)
            good = sum(grade[d] > 0 for d in here)
            expected += len(here) * (good + 0.00001) / (seen + 0.00003)
        total[stratum[docno]] += 1 / k + expected / k
    whole = sum(estimated.values())
    return sum(estimated[s] / whole * total[s] / relevant[s] for s in numbers if relevant[s])


@pytest.mark.parametrize("name", ["xinfap_small", "xinfap_fractional_estimate"])
def test_the_rows_are_those_that_sample_eval_reads(name: str) -> None:
    case: dict[str, Any] = cases("24_sampling_estimators.json")[name]
    given = [
        (docno, stratum, min(grade, 2)) for docno, stratum, grade in case["input"]["qrels5_doc_stratum_rel"]
    ]
    rows = list(xinfap_rows(*sampled(given)))
    assert rows == [("1", "0", docno, str(stratum), str(grade)) for docno, stratum, grade in given]
    value = xinfap(rows, case["input"]["ranking"])
    assert value == pytest.approx(case["expected"]["xinfAP"], abs=case["tolerance"])


def test_what_was_not_drawn_and_what_has_no_grade_is_minus_one() -> None:
    pool = stratified_pool(ABC)  # all ten documents lie in the first stratum, at rate 1
    grades = {("1", "d01"): 3, ("1", "d02"): 0, ("2", "d03"): 1}
    rows: Mapping[str, tuple[str, ...]] = {row[2]: row for row in xinfap_rows(pool, grades)}
    assert list(rows) == sorted(rows)
    assert rows["d01"] == ("1", "0", "d01", "1", "3")
    assert rows["d02"] == ("1", "0", "d02", "1", "0")
    assert rows["d03"] == ("1", "0", "d03", "1", "-1")
    assert list(infap_rows(pool, grades))[:3] == [
        ("1", "0", "d01", "3"),
        ("1", "0", "d02", "0"),
        ("1", "0", "d03", "-1"),
    ]


def test_a_grade_of_what_was_not_drawn_is_not_counted_as_sampled() -> None:
    pool, grades = sampled([("a", 1, 1), ("b", 1, -1)])
    assert [row[-1] for row in xinfap_rows(pool, {**grades, ("1", "b"): 1})] == ["1", "-1"]


def test_a_pool_that_was_not_sampled_has_no_strata() -> None:
    pool = depth_pool(ABC)
    assert list(xinfap_rows(pool, {})) == []
