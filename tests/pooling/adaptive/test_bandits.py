"""Bandits against their worked cases, and Thompson's draws against the moments of their distribution."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from tests.pooling.some_runs import ABC, ABC_RELEVANT, ranked
from tests.support import cases
from workbench.pooling.adaptive_pool import Adaptive
from workbench.pooling.adaptive_strategies import MaxMean, Thompson, beta_draw
from workbench.pooling.pool import TopicCandidates, gather
from workbench.pooling.strategies import start
from workbench.records import Run


def judged_in_order(adaptive: Adaptive, relevant: Iterable[str], topic: str = "1") -> list[str]:
    """What one assessor gets who judges each document before the next."""
    order: list[str] = []
    while (docno := adaptive.next(topic)) is not None:
        order.append(docno)
        adaptive.judged(topic, docno, docno in relevant)
    return order


def of_case(case: dict[str, Any]) -> list[Run]:
    return [ranked(tag, docnos) for tag, docnos in case["input"]["runs_in_rank_order"].items()]


def candidates(runs: Sequence[Run]) -> TopicCandidates:
    (topic,) = gather(runs).topics
    return topic


@pytest.mark.parametrize(
    ("name", "strategy", "parameters"),
    [
        ("bandit_max_mean_stationary", "max-mean", {}),
        ("bandit_max_mean_stationary", "mm-ns", {"rate": 1.0}),
        ("bandit_max_mean_non_stationary_rate0", "mm-ns", {}),
    ],
)
def test_the_order_of_judging_is_that_of_the_worked_case(
    name: str, strategy: str, parameters: dict[str, float]
) -> None:
    case = cases("22_pooling_adaptive.json")[name]
    adaptive = start(of_case(case), strategy=strategy, parameters=parameters)
    assert judged_in_order(adaptive, case["input"]["relevant"]) == case["expected"]["judging_order"]


@pytest.mark.parametrize("name", ["bandit_max_mean_stationary", "bandit_max_mean_non_stationary_rate0"])
def test_the_posterior_means_are_those_of_the_worked_case(name: str) -> None:
    case = cases("22_pooling_adaptive.json")[name]
    topic = candidates(of_case(case))
    chooser = MaxMean(topic, rate=case["input"]["rate"])
    free = np.ones(len(topic.docnos), dtype=np.bool_)
    for _, docno, relevant, means in case["expected"]["trace_run_doc_rel_posteriormeans"]:
        place = chooser.choose(free)
        assert place is not None
        assert topic.docnos[place] == docno
        free[place] = False
        chooser.learn(place, bool(relevant))
        assert list(chooser.values()) == pytest.approx(list(means.values()), abs=1e-11)


def test_an_earlier_judgment_fades_by_the_rate() -> None:
    # One run, rate .5: relevant 1, then .5 x 1 + 0; judged 1, then .5 x 1 + 1: (.5 + 1) / (1.5 + 2).
    chooser = MaxMean(candidates([ranked("A", ["x", "y"])]), rate=0.5)
    chooser.learn(0, True)
    chooser.learn(1, False)
    assert chooser.values() == pytest.approx([1.5 / 3.5])


@pytest.mark.parametrize(("above", "below"), [(1, 1), (2, 1), (1, 3), (5, 5)])
def test_draws_follow_the_whole_distribution(above: int, below: int) -> None:
    # Kolmogorov and Smirnov: at 5,000 draws the distance exceeds 1.95 / sqrt(n) once in a thousand samples.
    # The distribution function of Beta(a, b) at x is that of at least a of a + b - 1 trials with chance x.
    count = above + below - 1
    draws = sorted(beta_draw(b"key %d" % key, above, below) / 2**64 for key in range(5000))
    expected = [
        sum(math.comb(count, k) * x**k * (1 - x) ** (count - k) for k in range(above, count + 1))
        for x in draws
    ]
    distance = max(max(abs(at / 5000 - e), abs((at + 1) / 5000 - e)) for at, e in enumerate(expected))
    assert distance < 1.95 / math.sqrt(5000)


def test_a_draw_is_the_same_everywhere() -> None:
    # Five uniform numbers from two blocks; the fourth smallest is the draw.
    blocks = sha256(b"key\n0").digest() + sha256(b"key\n1").digest()
    uniform = [int.from_bytes(blocks[at : at + 8], "big") for at in range(0, 40, 8)]
    assert beta_draw(b"key", 4, 2) == sorted(uniform)[3]


def test_thompson_plays_the_run_of_the_largest_draw() -> None:
    topic = candidates(ABC)
    chooser = Thompson(topic, rate=1, seed=9)
    free = np.ones(len(topic.docnos), dtype=np.bool_)
    # Before any judgment every draw is one uniform number; d01, d03 and d09 are the first of A, B and C.
    draws = [
        int.from_bytes(sha256(b"9\n1\n0\n%b\n0" % tag).digest()[:8], "big") for tag in (b"A", b"B", b"C")
    ]
    assert list(chooser.values()) == draws
    first = {"A": "d01", "B": "d03", "C": "d09"}["ABC"[draws.index(max(draws))]]
    place = chooser.choose(free)
    assert place is not None
    assert topic.docnos[place] == first


def test_thompson_draws_anew_for_each_document_and_from_the_seed() -> None:
    orders = {
        seed: judged_in_order(start(ABC, strategy="thompson", parameters={"seed": seed}), ABC_RELEVANT)
        for seed in range(12)
    }
    assert len({tuple(order) for order in orders.values()}) > 6
    assert orders[3] == judged_in_order(start(ABC, strategy="thompson", parameters={"seed": 3}), ABC_RELEVANT)
