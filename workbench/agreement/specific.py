"""Agreement by grade, and the indices that explain a low kappa: prevalence and bias."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from workbench.agreement.result import NOBODY, WOULD_DEFINE
from workbench.agreement.table import checked
from workbench.errors import WorkbenchError


@dataclass(frozen=True, slots=True)
class BinaryView:
    """A table of two grades, relevant first, looked at closely; what cannot be is None.

    `positive` and `negative` are the specific agreements, `overlap` the share of what either called relevant
    that both did. `prevalence` = (both relevant - both not) / n and `bias` = (only first - only second) / n
    keep their signs. `precision` and `recall` are the second assessor's against the first's.
    """

    positive: float | None
    negative: float | None
    overlap: float | None
    prevalence: float | None
    bias: float | None
    precision: float | None
    recall: float | None


_NOTHING = ("neither called anything relevant", "a document that one of the two calls relevant")
_NO_PAIR = (NOBODY, WOULD_DEFINE[NOBODY])
WHY_NONE = {
    "positive": _NOTHING,
    "negative": (
        "neither called anything not relevant",
        "a document that one of the two calls not relevant",
    ),
    "overlap": _NOTHING,
    "prevalence": _NO_PAIR,
    "bias": _NO_PAIR,
    "precision": ("the second called nothing relevant", "a document that the second calls relevant"),
    "recall": ("the first called nothing relevant", "a document that the first calls relevant"),
}
"""Why each part of a close look is None where it is, and what would give it a value."""


def specific_agreement(table: ArrayLike) -> tuple[float | None, ...]:
    """For every grade 2 n_kk / (row k + column k): of the pairs given it, the share on which both did.

    None where neither gave it. Source: Cicchetti and Feinstein 1990 for two grades; Spitzer and Fleiss 1974.

    >>> [round(share, 4) for share in specific_agreement([[300, 20], [10, 70]])]
    [0.9524, 0.8235]
    """
    counts = checked(table)
    both = counts.diagonal().tolist()
    given = (counts.sum(axis=0) + counts.sum(axis=1)).tolist()
    return tuple(_share(2 * agreed, total) for agreed, total in zip(both, given, strict=True))


def binary_view(table: ArrayLike) -> BinaryView:
    """What explains the agreement of two assessors on two grades, relevant first.

    Raises WorkbenchError for a table of another size. Source: Cicchetti and Feinstein 1990 (specific
    agreement); Byrt, Bishop and Carlin 1993 (indices, there without signs); Voorhees 2000 (overlap).

    >>> view = binary_view([[300, 20], [10, 70]])
    >>> round(view.overlap, 4), view.prevalence, view.bias
    (0.9091, 0.575, 0.025)
    """
    counts = checked(table)
    if counts.shape != (2, 2):
        raise WorkbenchError("only a table of two grades has a positive side", remedy="choose a threshold")
    (both, first), (second, neither) = counts.tolist()
    positive, negative = specific_agreement(counts)
    n = both + first + second + neither
    return BinaryView(
        positive=positive,
        negative=negative,
        overlap=_share(both, both + first + second),
        prevalence=_share(both - neither, n),
        bias=_share(first - second, n),
        precision=_share(both, both + second),
        recall=_share(both, both + first),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
