"""How far apart two grades are: disagreement weights over the declared scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError

Weights = NDArray[np.float64]
"""Disagreement of every grade with every other, shape (q, q): 0 on the diagonal, 1 at most, symmetric."""

OwnWeights = tuple[tuple[float, ...], ...]
"""Disagreements of every grade with every other, rows and columns in ascending order of the grades."""


def nominal(size: int) -> Weights:
    """Every two different grades disagree wholly."""
    return 1.0 - np.eye(size)


def linear(size: int) -> Weights:
    """Disagreement grows with the number of steps between the grades.

    Source: Cicchetti and Allison 1971.

    >>> linear(3).tolist()
    [[0.0, 0.5, 1.0], [0.5, 0.0, 0.5], [1.0, 0.5, 0.0]]
    """
    return _steps(size) / max(size - 1, 1)


def quadratic(size: int) -> Weights:
    """Disagreement grows with the square of the number of steps between the grades.

    Source: Fleiss and Cohen 1973.
    """
    return (_steps(size) / max(size - 1, 1)) ** 2


def ordinal(size: int) -> Weights:
    """Disagreement grows with the number of pairs of grades that lie between, both ends included.

    Source: Gwet 2014, chapter 3.
    """
    between = np.array([[comb(abs(k - m) + 1, 2) for m in range(size)] for k in range(size)], dtype=float)
    return between / max(comb(size, 2), 1)


WEIGHTS: Mapping[str, Callable[[int], Weights]] = {
    "nominal": nominal,
    "linear": linear,
    "quadratic": quadratic,
    "ordinal": ordinal,
}
"""The weights that have a name; each is made for the number of grades of the declared scale."""


def weights_of(weights: str | ArrayLike, size: int) -> Weights:
    """The weights of this name for a scale of so many grades, or one's own; raises WorkbenchError."""
    if isinstance(weights, str):
        if weights not in WEIGHTS:
            raise WorkbenchError(f"there are no weights {weights!r}", remedy=f"one of {', '.join(WEIGHTS)}")
        return WEIGHTS[weights](size)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (size, size):
        raise WorkbenchError(
            f"weights of shape {given.shape} do not fit {size} grades", remedy="one row for every grade"
        )
    return given


def own_weights(disagreements: ArrayLike) -> Weights:
    """Weights of one's own from disagreements; shape (q, q), in the scale's order.

    They are taken as they are, unless the largest is above 1: then all are divided by it (`divisor_of`).
    Gwet's AC2 depends on it, the kappas and alpha do not.

    Raises WorkbenchError unless they are square, symmetric, 0 on the diagonal, finite, not negative and not
    all 0.

    >>> own_weights([[0, 1, 3], [1, 0, 6], [3, 6, 0]])[0].round(3).tolist()
    [0.0, 0.167, 0.5]
    """
    try:
        given = np.asarray(disagreements, dtype=np.float64)
    except ValueError:
        raise WorkbenchError(
            "the rows of the weights differ in length", remedy="one row and one column for every grade"
        ) from None
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not given.size:
        raise WorkbenchError("weights are square", remedy="one row and one column for every grade")
    if not np.isfinite(given).all() or (given < 0).any():
        raise WorkbenchError("a weight is not finite or negative", remedy="a disagreement is 0 or more")
    if np.diag(given).any() or (given != given.T).any():
        raise WorkbenchError(
            "a grade does not disagree with itself, and with another as much as the other with it",
            remedy="write 0 on the diagonal and the same weight on both sides of it",
        )
    if len(given) > 1 and not given.any():
        raise WorkbenchError(
            "under these weights no two grades disagree", remedy="write more than 0 for some of them"
        )
    return given / divisor_of(given)


def divisor_of(disagreements: ArrayLike) -> float:
    """By what own disagreements are divided: the largest where that is above 1, else 1."""
    return max(1.0, float(np.asarray(disagreements, dtype=np.float64).max(initial=0.0)))


def parse_weights(text: str, *, source: str = "weights") -> str | OwnWeights:
    """A name of weights, or rows of numbers separated by blanks, tabs or commas, the lowest grade first.

    Raises WorkbenchError for a row that is not all numbers, by its line in the source, and for weights that
    cannot be.
    """
    if text in WEIGHTS:
        return text
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                rows.append(tuple(float(cell) for cell in line.replace(",", " ").split()))
            except ValueError:
                raise WorkbenchError(
                    f"{source}:{number}: this is not all numbers",
                    remedy="write how far every two grades disagree, as 0 0.5 1",
                ) from None
    own_weights(rows)
    return tuple(rows)


def _steps(size: int) -> Weights:
    places = np.arange(size, dtype=np.float64)
    return np.abs(np.subtract.outer(places, places))
