"""Logistic regression on sparse rows: Newton's method, its steps by conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from workbench.errors import WorkbenchError
from workbench.learning.vectors import Bools, Floats

COST = 10.0
"""What an error costs beside the squared length of the weights (liblinear's C).

On Cranfield and CF 10 needs 4 to 7 % fewer documents for recall .8 and .9 than 100 does; 3 finds fewer early.
"""
# The gradient's length where the search ends, as a share of its length at the beginning; liblinear's is 0.01.
_TOLERANCE = 1e-4
_STEPS = 50
_DIRECTIONS = 100
_HALVINGS = 30


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted model: a document is relevant with probability 1 / (1 + exp(-(weights · row + intercept)))."""

    weights: Floats
    intercept: float

    def decisions(self, rows: csr_array) -> Floats:
        """The log-odds of each row, shape (rows,)."""
        # In the rows' own precision: a wider vector would have scipy copy the whole matrix.
        product = rows @ self.weights.astype(rows.dtype)
        return np.asarray(product, dtype=np.float64) + self.intercept

    def probabilities(self, rows: csr_array) -> Floats:
        """The probability of each row, shape (rows,)."""
        return np.asarray(expit(self.decisions(rows)), dtype=np.float64)


def fit_logistic(rows: csr_array, relevant: Bools, *, cost: float = COST) -> Logistic:
    """The model with the least ½ |w|² + ½ b² + cost · Σ ln(1 + exp(-y (w · x + b))), y = ±1.

    `rows` is (documents, columns), `relevant` (documents,). The intercept is penalised like a weight, as in
    liblinear. Raises WorkbenchError unless there are documents of both kinds.
    Source: Lin, Weng and Keerthi 2008, with a line search in place of their trust region.
    """
    if relevant.all() or not relevant.any():
        message = "a model needs relevant and other documents to learn from"
        raise WorkbenchError(message, remedy="judge one of each, or let negatives be presumed")
    # Only columns that the training documents have can get a weight, and these are few.
    columns, places = np.unique(rows.indices, return_inverse=True)
    width = len(columns)
    data = np.append(rows.data.astype(np.float64), np.ones(rows.shape[0]))
    entries = np.append(places, np.full(rows.shape[0], width))
    numbers = np.append(np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), np.arange(rows.shape[0]))
    examples = csr_array((data, (numbers, entries)), shape=(rows.shape[0], width + 1))
    fitted = _minimum(examples, np.where(relevant, 1.0, -1.0), cost)
    weights = np.zeros(rows.shape[1])
    weights[columns] = fitted[:width]
    return Logistic(weights, float(fitted[width]))


def _minimum(rows: csr_array, signs: Floats, cost: float) -> Floats:
    """The weights at the minimum; the function is strictly convex, so there is one."""
    across = rows.T.tocsr()
    weights = np.zeros(rows.shape[1])
    margins = np.zeros(rows.shape[0])
    gradient = across @ (-cost * signs / 2)
    first = float(np.linalg.norm(gradient))
    for _ in range(_STEPS):
        if np.linalg.norm(gradient) <= _TOLERANCE * first:
            break
        probabilities = expit(margins)
        curvature = cost * probabilities * (1 - probabilities)
        step = _newton_step(rows, across, curvature, gradient)
        change = rows @ step
        length = _step_length(weights, step, margins, change, signs, cost)
        weights += length * step
        margins += length * change
        gradient = weights + across @ (-cost * signs * expit(-signs * margins))
    return weights


def _newton_step(rows: csr_array, across: csr_array, curvature: Floats, gradient: Floats) -> Floats:
    """The step to the minimum of the local parabola: (I + Xᵀ D X) step = -gradient, solved roughly."""
    step = np.zeros_like(gradient)
    residual = -gradient
    direction = residual.copy()
    square = float(residual @ residual)
    enough = 0.01 * square
    for _ in range(_DIRECTIONS):
        if square <= enough:
            break
        bent = direction + across @ (curvature * (rows @ direction))
        share = square / float(direction @ bent)
        step += share * direction
        residual -= share * bent
        before, square = square, float(residual @ residual)
        direction = residual + (square / before) * direction
    return step


def _step_length(
    weights: Floats, step: Floats, margins: Floats, change: Floats, signs: Floats, cost: float
) -> float:
    """The first of 1, ½, ¼ ... with which the function falls enough (Armijo)."""

    def value(length: float) -> float:
        moved = weights + length * step
        return float(moved @ moved) / 2 + cost * float(
            np.logaddexp(0, -signs * (margins + length * change)).sum()
        )

    start = value(0.0)
    slope = float(weights @ step) - cost * float((signs * expit(-signs * margins)) @ change)
    length = 1.0
    for _ in range(_HALVINGS):
        if value(length) <= start + 1e-4 * length * slope:
            break
        length /= 2
    return length
