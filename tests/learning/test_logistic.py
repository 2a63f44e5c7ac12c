"""Logistic regression: where its gradient must vanish, and against scikit-learn's liblinear."""

from __future__ import annotations

import warnings
from math import log

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from scipy.special import expit

from tests.support import Oracle
from workbench.errors import WorkbenchError
from workbench.learning.learners import fit_logistic

linear_model = Oracle("sklearn.linear_model")


def some_rows(documents: int, seed: int) -> csr_array:
    generator = np.random.default_rng(seed)
    return csr_array(
        random_array((documents, 60), density=0.1, format="csr", rng=generator), dtype=np.float32
    )


def test_two_documents_by_hand() -> None:
    # Rows (1) and (-1), relevant and not: by symmetry there is no intercept. The derivative vanishes where
    # w = 2 C / (1 + e^w). At w = ln 3 that is 2 C / 4, so C = 2 ln 3 has the weight ln 3.
    rows = csr_array(np.array([[1.0], [-1.0]]))
    model = fit_logistic(rows, np.array([True, False]), cost=2 * log(3))
    assert model.intercept == pytest.approx(0.0, abs=1e-9)
    assert model.weights == pytest.approx([log(3)], abs=1e-4)
    # Then the odds are 3 to 1 and 1 to 3.
    assert expit(model.decisions(rows)) == pytest.approx([0.75, 0.25], abs=1e-4)


def test_the_gradient_vanishes_and_unseen_columns_have_no_weight() -> None:
    rows = csr_array(np.hstack((some_rows(40, seed=1).toarray(), np.zeros((40, 1), dtype=np.float32))))
    relevant = np.arange(40) % 4 == 0
    model = fit_logistic(rows, relevant)
    residuals = expit(model.decisions(rows)) - relevant
    assert np.abs(model.weights + 10 * (rows.T @ residuals)).max() < 0.02
    assert abs(model.intercept + 10 * residuals.sum()) < 0.02
    assert model.weights[60] == 0
    assert np.count_nonzero(model.weights) == 60


@pytest.mark.slow
def test_decisions_are_those_of_liblinear() -> None:
    for seed, documents in ((1, 20), (2, 100), (3, 400)):
        rows = some_rows(documents, seed)
        relevant = np.random.default_rng(seed).random(documents) < 0.2
        oracle = linear_model.LogisticRegression(C=10, solver="liblinear", tol=1e-8, max_iter=10_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            oracle.fit(rows.astype(np.float64), relevant)
        expected = oracle.decision_function(rows.astype(np.float64))
        assert np.abs(fit_logistic(rows, relevant).decisions(rows) - expected).max() < 0.01


@pytest.mark.parametrize("relevant", [True, False])
def test_documents_of_one_kind_teach_nothing(relevant: bool) -> None:
    with pytest.raises(WorkbenchError, match="relevant and other documents"):
        fit_logistic(some_rows(3, seed=1), np.full(3, relevant))
