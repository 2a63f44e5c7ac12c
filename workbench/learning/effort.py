"""What a review cost and saved: recall at multiples of R, effort at a recall, work saved three ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil

import numpy as np

from workbench.frozen import frozen_dataclass
from workbench.learning.vectors import Numbers


def needed_for(recall: float, relevant: int) -> int:
    """How many of so many relevant documents a recall takes: ceil(recall · R).

    >>> needed_for(0.8, 5), needed_for(0.95, 5)
    (4, 5)
    """
    # What is a whole number but for rounding must not become the next.
    return ceil(recall * relevant - 1e-9)


def recall_at(ranks: Numbers, relevant: int, multiple: int) -> float:
    """Recall after reading `multiple` times as many documents as are relevant (R, 2R, 4R).

    `ranks` are the places from 1 of the relevant documents read, ascending, of `relevant` in all.
    Source: TREC Total Recall (Grossman, Cormack and Roegiest 2016).
    """
    return int(np.searchsorted(ranks, multiple * relevant, side="right")) / relevant


def effort_at(ranks: Numbers, relevant: int, recall: float) -> int:
    """Documents read when a recall is reached; `ranks` as for `recall_at`, down to it at least."""
    return int(ranks[needed_for(recall, relevant) - 1])


def saved_by_cohen(ranks: Numbers, collection: int, recall: float) -> float:
    """Work saved over sampling: (N - n) / N - (1 - recall), n read when ceil(recall · R) are found.

    Source: Cohen et al. 2006.
    """
    return (collection - effort_at(ranks, len(ranks), recall)) / collection - (1 - recall)


def saved_by_clef(ranks: Numbers, collection: int, recall: float) -> float:
    """The same with round(recall · R) for the documents to find, which may be fewer.

    Source: the scripts of CLEF's Technologically Assisted Reviews 2017 to 2019.
    """
    found = max(round(recall * len(ranks)), 1)
    return (collection - int(ranks[found - 1])) / collection - (1 - recall)


def saved_by_asreview(ranks: Numbers, collection: int, recall: float) -> float:
    """(m - n) / N, m being where the rounded line of random reading has as many; nothing is subtracted.

    Source: ASReview Insights; the line goes straight from 0 after one document to R after N.
    """
    found = needed_for(recall, len(ranks))
    line = np.round(np.linspace(0, len(ranks), collection))
    return (int(np.searchsorted(line, found)) + 1 - int(ranks[found - 1])) / collection


@frozen_dataclass
class WorkSaved:
    """A definition of work saved: its name, its formula, and the function of ranks, size and recall."""

    name: str
    definition: str
    compute: Callable[[Numbers, int, float], float]


WORK_SAVED: Mapping[str, WorkSaved] = {
    one.name: one
    for one in (
        WorkSaved(
            "cohen",
            "(N - n) / N - (1 - recall), n read for ceil(recall R)",
            saved_by_cohen,
        ),
        WorkSaved("clef", "as cohen, n read for round(recall R)", saved_by_clef),
        WorkSaved("asreview", "(m - n) / N, m documents read at random for as many", saved_by_asreview),
    )
}
"""The three definitions in use; they differ by up to half for one list, so that a figure names its own."""
