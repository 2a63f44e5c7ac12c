"""All pairs of runs tested under many qrels at once, against scipy and a hand-made Holm."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.support import Oracle, cases
from workbench.errors import WorkbenchError
from workbench.scoring.relevance import Floats
from workbench.trust.orders import PairTests

stats = Oracle("scipy.stats")


def scores(seed: int, *, qrels: int = 6, topics: int = 8, runs: int = 7) -> Floats:
    generator = np.random.default_rng(seed)
    worth = generator.normal(0, 0.15, (1, 1, runs))
    return np.asarray(worth + generator.normal(0.3, 0.1, (qrels, topics, runs)))


def holm_by_hand(p: list[float], level: float) -> list[bool]:
    """Holm's procedure as he wrote it: the smallest first, until one is too large."""
    rejected = [False] * len(p)
    for step, at in enumerate(sorted(range(len(p)), key=lambda at: p[at])):
        if p[at] > level / (len(p) - step):
            break
        rejected[at] = True
    return rejected


@pytest.mark.parametrize("level", [0.05, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_significant_is_so_after_holm(seed: int, level: float) -> None:
    values = scores(seed)
    found = PairTests(7, 8, level).significant(values)
    for table, row in zip(values, found, strict=True):
        tests = [stats.ttest_rel(table[:, a], table[:, b]) for a, b in combinations(range(7), 2)]
        rejected = holm_by_hand([float(test.pvalue) for test in tests], level)
        signs = [int(np.sign(test.statistic)) for test in tests]
        assert row.tolist() == [sign * took for sign, took in zip(signs, rejected, strict=True)]


def test_the_ten_queries_of_croft_metzler_and_strohman() -> None:
    case = cases("42_significance.json")["cms_ten_queries"]
    pair = np.array([case["input"]["B"], case["input"]["A"]], dtype=np.float64).T[np.newaxis]
    assert PairTests(2, 10).t(pair)[0, 0] == pytest.approx(case["expected"]["t"])
    # p = .045 two-sided.
    assert PairTests(2, 10, 0.05).significant(pair).tolist() == [[1]]
    assert PairTests(2, 10, 0.04).significant(pair).tolist() == [[0]]


def test_runs_that_are_nearly_the_same_are_tested_as_exactly() -> None:
    # The runs differ by 1e-7 on one topic of eight: t = mean / (sd / sqrt(8)) = 1.
    base = scores(3, qrels=1, runs=1)
    twin = base.copy()
    twin[0, 3] += 1e-7
    assert PairTests(2, 8).t(np.concatenate([twin, base], axis=2)).tolist() == [[pytest.approx(1, rel=1e-6)]]


def test_a_difference_that_does_not_vary_is_not_tested() -> None:
    base = scores(4, qrels=1, runs=1)
    values = np.concatenate([base, base + 0.1, base], axis=2)
    assert np.isnan(PairTests(3, 8).t(values)).all()
    assert not PairTests(3, 8).significant(values).any()
    assert not PairTests(3, 1).significant(values[:, :1]).any()


def test_pairs_that_are_not_tested_do_not_count_among_all() -> None:
    # A and B, p = .04498, and A once more: of three pairs two are tested, so that p is doubled to .08995.
    case = cases("42_significance.json")["cms_ten_queries"]["input"]
    a, b = (np.array(case[name], dtype=np.float64) for name in ("A", "B"))
    alone = np.stack([a, b], axis=1)[np.newaxis]
    twins = np.stack([a, b, a], axis=1)[np.newaxis]
    assert PairTests(2, 10).significant(alone).tolist() == [[-1]]
    assert PairTests(3, 10).significant(twins).tolist() == [[0, 0, 0]]
    assert PairTests(3, 10, 0.0899).significant(twins).tolist() == [[0, 0, 0]]
    assert PairTests(3, 10, 0.09).significant(twins).tolist() == [[-1, 0, 1]]


def test_a_level_is_a_probability() -> None:
    with pytest.raises(WorkbenchError):
        PairTests(2, 2, 5)
