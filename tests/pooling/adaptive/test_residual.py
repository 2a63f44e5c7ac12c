"""Rank-biased weights that learn, methods B and C, against their worked case."""

from __future__ import annotations

import pytest

from tests.pooling.by_pool import fused
from tests.pooling.some_runs import ABC, ranked
from tests.support import cases
from workbench.pooling.adaptive_strategies import MethodB, MethodC, Residual
from workbench.pooling.pool import gather
from workbench.pooling.strategies import start


@pytest.mark.parametrize(("letter", "method"), [("B", MethodB), ("C", MethodC)])
def test_weights_are_those_of_the_worked_case(letter: str, method: type[Residual]) -> None:
    case = cases("22_pooling_adaptive.json")["moffat_2007_methods_B_C"]
    runs = [ranked(tag, docnos) for tag, docnos in case["input"]["runs_in_rank_order"].items()]
    (topic,) = gather(runs).topics
    chooser = method(topic, p=case["input"]["p"])
    adaptive = start(runs, strategy=f"rbp-{letter.lower()}", parameters={"p": case["input"]["p"]})
    for docno, relevant in case["input"]["judged"].items():
        chooser.learn(topic.docnos.index(docno), bool(relevant))
        adaptive.judged("1", docno, bool(relevant))
    expected = case["expected"]
    assert dict(zip("ABC", chooser.base.tolist(), strict=True)) == pytest.approx(expected["base"], abs=1e-12)
    residual = dict(zip("ABC", chooser.residual.tolist(), strict=True))
    assert residual == pytest.approx(expected["residual"], abs=1e-12)
    weights = dict(zip(topic.docnos, chooser.weights.tolist(), strict=True))
    unjudged = {docno: weights[docno] for docno in weights if docno not in case["input"]["judged"]}
    assert unjudged == pytest.approx(expected[f"weights_{letter}"], abs=case["tolerance"])
    assert adaptive.next("1") == expected[f"next_{letter}"][0]


def test_without_judgments_the_order_is_that_of_method_a() -> None:
    adaptive = start(ABC, strategy="rbp-b")
    for budget in range(1, 11):
        adaptive.next("1")
        assert adaptive.pool().pairs == fused("rbp", ABC, budget=budget).pairs
