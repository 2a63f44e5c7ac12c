"""Estimates of AP from samples, against trec_eval, NIST's sample_eval.pl and a hand calculation."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval

from tests.support import cases
from workbench.formats.qrels import Prel, SampledQrel
from workbench.trust.holes import infap, infndcg, statap, xinfap

CASES = "24_sampling_estimators.json"


def pool_of(grades: dict[str, int | None]) -> dict[str, SampledQrel]:
    """A pool of one stratum."""
    return {docno: SampledQrel("1", docno, "1", grade) for docno, grade in grades.items()}


@pytest.mark.parametrize("name", ["xinfap_small", "xinfap_fractional_estimate"])
def test_xinfap_is_that_of_sample_eval(name: str) -> None:
    case = cases(CASES)[name]
    pool = {
        docno: SampledQrel("1", docno, str(stratum), None if grade < 0 else grade)
        for docno, stratum, grade in case["input"]["qrels5_doc_stratum_rel"]
    }
    value, relevant = xinfap(case["input"]["ranking"], pool)
    assert value == pytest.approx(case["expected"]["xinfAP"], abs=1e-9)
    assert relevant == case["expected"]["estimated_relevant"]


@pytest.mark.parametrize("name", ["xinfap_small", "xinfap_fractional_estimate"])
def test_infndcg_is_that_of_sample_eval_at_trec(name: str) -> None:
    case = cases(CASES)[name]
    pool = {
        docno: SampledQrel("1", docno, str(stratum), None if grade < 0 else grade)
        for docno, stratum, grade in case["input"]["qrels5_doc_stratum_rel"]
    }
    (of_trec,) = (
        printed["infNDCG"]
        for version, printed in case["expected"]["sample_eval_output"].items()
        if "TREC text version" in version
    )
    assert infndcg(case["input"]["ranking"], pool) == pytest.approx(of_trec, abs=5e-5)


def test_infndcg_of_a_pool_that_is_all_judged_is_ndcg() -> None:
    # Grades 2 and 1 at ranks 1 and 3, a 1 not retrieved: (2 + 1/2) / (2 + 1 / log2 3 + 1/2).
    pool = pool_of({"a": 2, "b": 0, "c": 1, "d": 1})
    assert infndcg(["a", "b", "c"], pool) == pytest.approx(2.5 / 3.1309297535714573)
    assert infndcg(["b"], pool_of({"b": 0})) is None


def test_xinfap_of_a_pool_that_is_all_judged_is_ap() -> None:
    # Relevant at ranks 1 and 3, one not retrieved: (1 + 2/3) / 3; what is added to the counts changes 1e-5.
    pool = pool_of({"a": 1, "b": 0, "c": 1, "d": 1})
    value, relevant = xinfap(["a", "b", "c"], pool)
    assert value == pytest.approx(5 / 9, abs=1e-4)
    assert relevant == 3.0


def test_statap_by_hand() -> None:
    case = cases(CASES)["statap_small"]
    rows = case["input"]["prels_doc_rel_inclusionprob"]
    drawn = {docno: Prel("1", docno, grade, probability) for docno, grade, probability in rows}
    value, relevant = statap(case["input"]["ranking"], drawn)
    assert value == pytest.approx(case["expected"]["statAP"], abs=case["tolerance"])
    assert relevant == case["expected"]["R_hat"]


def test_without_a_relevant_document_drawn_nothing_can_be_estimated() -> None:
    assert xinfap(["a"], pool_of({"a": 0, "b": None}))[0] is None
    assert statap(["a"], {"a": Prel("1", "a", 0, 0.5)})[0] is None


def test_infap_is_that_of_trec_eval() -> None:
    generator = np.random.default_rng(20)
    for _ in range(40):
        docnos = [f"d{number}" for number in range(12)]
        # -1 is in the pool and was not drawn; what has no grade is in no pool.
        grades = {docno: int(generator.integers(-1, 3)) for docno in docnos[:9]}
        ranking = generator.permutation(docnos)[:10].tolist()
        scores = {docno: float(-place) for place, docno in enumerate(ranking)}
        evaluator = pytrec_eval.RelevanceEvaluator({"1": grades}, {"infAP"}, relevance_level=2)
        reference = evaluator.evaluate({"1": scores})["1"]["infAP"]
        pool = pool_of({docno: None if grade < 0 else grade for docno, grade in grades.items()})
        found, _ = infap(ranking, pool, relevant_from=2)
        assert (found or 0.0) == pytest.approx(reference, abs=1e-9)
