"""How far apart two grades are: disagreement weights over the declared scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError

Weights = NDArray[np.float64]
"""Disagreement of every grade with every other, shape (q, q): 0 on the diagonal, 1 at most, symmetric."""

Scale = int | Sequence[int]
"""The grades of a scale in order, ascending or descending; a number stands for those from 0 on."""

OwnWeights = tuple[tuple[float, ...], ...]
"""Disagreements of every grade with every other, rows and columns in ascending order of the grades."""


def nominal(scale: Scale) -> Weights:
    """Every two different grades disagree wholly."""
    return 1.0 - np.eye(len(_grades(scale)))


def linear(scale: Scale) -> Weights:
    """Disagreement grows with the distance of the grades, so that one never given still lies between others.

    Source: Cicchetti and Allison 1971; of grades that are apart by more than 1 as irrCAC computes them.

    >>> linear(3).tolist()
    [[0.0, 0.5, 1.0], [0.5, 0.0, 0.5], [1.0, 0.5, 0.0]]
    >>> linear((0, 1, 3))[1].round(3).tolist()
    [0.333, 0.0, 0.667]
    """
    values = np.asarray(_grades(scale), dtype=np.float64)
    distances = np.abs(np.subtract.outer(values, values))
    return distances / max(float(distances.max()), 1.0)


def quadratic(scale: Scale) -> Weights:
    """Disagreement grows with the square of the distance of the grades.

    Source: Fleiss and Cohen 1973.
    """
    return linear(scale) ** 2


def ordinal(scale: Scale) -> Weights:
    """Disagreement grows with the number of pairs of grades of the scale between, both ends included.

    Source: Gwet 2014, chapter 3.
    """
    size = len(_grades(scale))
    between = np.array([[comb(abs(k - m) + 1, 2) for m in range(size)] for k in range(size)], dtype=float)
    return between / max(comb(size, 2), 1)


WEIGHTS: Mapping[str, Callable[[Scale], Weights]] = {
    "nominal": nominal,
    "linear": linear,
    "quadratic": quadratic,
    "ordinal": ordinal,
}
"""The weights that have a name; each is made for the grades of the declared scale."""


def weights_of(weights: str | ArrayLike, scale: Scale) -> Weights:
    """The weights of this name for a scale, or one's own; raises WorkbenchError."""
    if isinstance(weights, str):
        if weights not in WEIGHTS:
            raise WorkbenchError(
                f"there are no weights {weights!r}", remedy=f"choose one of {', '.join(WEIGHTS)}"
            )
        return WEIGHTS[weights](scale)
    size = len(_grades(scale))
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
            "the rows of the weights differ in length", remedy="give one row and one column for every grade"
        ) from None
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not given.size:
        raise WorkbenchError(
            "the weights are not a square table", remedy="give one row and one column for every grade"
        )
    if not np.isfinite(given).all() or (given < 0).any():
        raise WorkbenchError("a weight is negative or not finite", remedy="use numbers of 0 or more")
    if np.diag(given).any() or (given != given.T).any():
        raise WorkbenchError(
            "weights must be 0 on the diagonal and symmetric",
            remedy="write 0 on the diagonal and the same weight on both sides of it",
        )
    if len(given) > 1 and not given.any():
        raise WorkbenchError(
            "under these weights no two grades disagree", remedy="write a weight above 0 for some of them"
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
                    f"{source}:{number}: the line has something other than numbers",
                    remedy="write the distance of one grade from every grade, such as 0 0.5 1",
                ) from None
    own_weights(rows)
    return tuple(rows)


def _grades(scale: Scale) -> Sequence[int]:
    return range(scale) if isinstance(scale, int) else scale
