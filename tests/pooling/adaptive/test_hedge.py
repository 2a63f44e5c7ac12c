"""Hedge against its worked case, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.pooling.some_runs import ranked
from tests.support import cases
from workbench.pooling.adaptive_strategies import Hedge
from workbench.pooling.pool import gather
from workbench.pooling.strategies import start


def test_documents_and_weights_are_those_of_the_worked_case() -> None:
    case = cases("22_pooling_adaptive.json")["hedge_small"]
    runs = [ranked(tag, docnos) for tag, docnos in case["input"]["runs_in_rank_order"].items()]
    (topic,) = gather(runs).topics
    chooser = Hedge(topic, z=case["input"]["Z"], beta=case["input"]["beta"])
    adaptive = start(
        runs, strategy="hedge", parameters={"z": case["input"]["Z"], "beta": case["input"]["beta"]}
    )
    for docno, relevant, weights in case["expected"]["trace_doc_rel_weights"]:
        assert adaptive.next("1") == docno
        adaptive.judged("1", docno, bool(relevant))
        chooser.learn(topic.docnos.index(docno), bool(relevant))
        assert chooser.weights.tolist() == pytest.approx(list(weights.values()), abs=case["tolerance"])


def test_a_run_claims_the_mean_of_what_is_below_its_list_for_what_it_did_not_retrieve() -> None:
    # z = 4, A has x at 1 and y at 2: elsewhere it claims the mean of ln(4/3)/2 and ln(4/4)/2 = ln(4/3)/4.
    # B has z at 1: elsewhere the mean of ln(4/2)/2, ln(4/3)/2 and 0. z is relevant, beta = 1/e: w = e^claim.
    runs = [ranked("A", ["x", "y"]), ranked("B", ["z"])]
    (topic,) = gather(runs).topics
    chooser = Hedge(topic, z=4, beta=1 / math.e)
    chooser.learn(topic.docnos.index("z"), True)
    a, b = math.exp(math.log(4 / 3) / 4), math.exp(math.log(4) / 2)
    assert chooser.weights.tolist() == pytest.approx([a / (a + b), b / (a + b)], abs=1e-12)
    chooser.forget()
    assert chooser.weights.tolist() == [0.5, 0.5]


def test_ranks_beyond_z_claim_nothing_and_never_less() -> None:
    runs = [ranked("A", ["x", "y", "z"]), ranked("B", ["z", "y", "x"])]
    (topic,) = gather(runs).topics
    chooser = Hedge(topic, z=1, beta=0.5)
    chooser.learn(topic.docnos.index("y"), False)
    assert chooser.weights.tolist() == [0.5, 0.5]


def test_of_equal_documents_the_first_docno_comes_first() -> None:
    runs = [ranked("A", ["y", "x"]), ranked("B", ["x", "y"])]
    adaptive = start(runs, strategy="hedge")
    assert [adaptive.next("1"), adaptive.next("1"), adaptive.next("1")] == ["x", "y", None]


def test_many_judgments_do_not_make_a_weight_overflow_or_vanish_into_nothing() -> None:
    docnos = [f"d{at:04}" for at in range(1000)]
    runs = [ranked("A", docnos), ranked("B", docnos[::-1])]
    (topic,) = gather(runs).topics
    chooser = Hedge(topic, z=10**9, beta=0.001)
    for place in range(500):
        chooser.learn(place, place % 2 == 0)
        chooser.learn(place + 500, False)
    assert np.isfinite(chooser.weights).all()
    assert chooser.weights.sum() == pytest.approx(1)
    assert chooser.choose(np.ones(1000, dtype=np.bool_)) is not None
