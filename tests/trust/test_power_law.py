"""The fall of new relevant documents with the depth: against a hand calculation and an exact law."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.trust.power_law import Fit, fitted_law, fitted_laws


@pytest.mark.parametrize("fit", Fit)
def test_an_exact_power_law_is_found_again(fit: Fit) -> None:
    case = cases("23_uniques_leave_out.json")["zobel_extrapolation_power_law"]
    first, last = case["input"]["fit_depths"]
    counts = case["input"]["C"] * np.arange(first, last + 1) ** case["input"]["s"]
    law = fitted_law(counts, first=first, fit=fit)
    expected = case["expected"]
    assert law.scale == pytest.approx(expected["fitted_C"], abs=case["tolerance"])
    assert law.exponent == pytest.approx(expected["fitted_s"], abs=case["tolerance"])
    assert law.between(101, 200) == pytest.approx(expected["extra_101_to_200"], abs=case["tolerance"])


def test_least_squares_of_three_ranks_by_hand() -> None:
    # Ranks 1 2 4 (3 has none): logs 0 l 2l with l = log 2; counts 8 2 2 have the logs 3l l l.
    # Mean rank l, mean count 5l/3; slope (-l * 4l/3 + 0 + l * -2l/3) / (2 l * l) = -1; at rank 1: 5l/3 + l.
    law = fitted_law([8, 2, 0, 2], fit=Fit.LOGS)
    assert (law.ranks, law.empty) == (4, 1)
    assert law.exponent == pytest.approx(-1)
    assert law.scale == pytest.approx(exp(8 / 3 * log(2)))


def test_the_most_likely_law_counts_ranks_without_a_relevant_document() -> None:
    # Of ranks 1 and 2 the most likely law has the counts themselves: 6 and 2, so s = log2(2 / 6).
    law = fitted_law([6, 2])
    assert law.exponent == pytest.approx(log(1 / 3) / log(2))
    assert law.at(2) == pytest.approx(2)
    with_zeros = fitted_law([6, 2, 0, 0])
    assert with_zeros.between(1, 4) == pytest.approx(8)
    assert with_zeros.exponent < law.exponent


@pytest.mark.parametrize("fit", Fit)
@pytest.mark.parametrize("counts", [[0, 0, 0], [5, 0, 0], [0, 3, 0], [4]])
def test_a_fall_needs_two_ranks(fit: Fit, counts: list[int]) -> None:
    with pytest.raises(WorkbenchError) as refused:
        fitted_law(counts, fit=fit)
    assert refused.value.remedy


@pytest.mark.parametrize("fit", Fit)
def test_many_laws_are_fitted_as_each_alone(fit: Fit) -> None:
    counts = np.random.default_rng(4).poisson(20 * np.arange(3, 20) ** -0.8, (5, 17)).astype(np.float64)
    scales, exponents = fitted_laws(counts, first=3, fit=fit)
    alone = [fitted_law(row, first=3, fit=fit) for row in counts]
    assert scales.tolist() == pytest.approx([law.scale for law in alone])
    assert exponents.tolist() == pytest.approx([law.exponent for law in alone])


def test_with_few_documents_only_the_most_likely_law_is_right_on_average() -> None:
    # 300 pools of 1.5 d ** -1 new relevant documents: beyond rank 20, to 40, the law has 1.5 * (1/21 + ...).
    random, ranks = np.random.default_rng(11), np.arange(1, 21)
    counts = random.poisson(1.5 / ranks, (300, 20)).astype(np.float64)
    truth = float((1.5 / np.arange(21, 41)).sum())
    averages = {}
    for fit in Fit:
        scales, exponents = fitted_laws(counts, first=1, fit=fit)
        sums = [s * float((np.arange(21.0, 41) ** e).sum()) for s, e in zip(scales, exponents, strict=True)]
        averages[fit] = float(np.nanmedian(sums))
    assert averages[Fit.COUNTS] == pytest.approx(truth, rel=0.25)
    assert averages[Fit.LOGS] > 2 * truth
