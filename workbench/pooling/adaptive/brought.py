"""Which runs retrieved a document of a topic, and where: candidates, turned round."""

from __future__ import annotations

import numpy as np

from workbench.pooling.candidates import Candidates, Floats, Places


class Brought:
    """All (document, run, rank) of a topic as three arrays, sorted by document, then run.

    Runs are places in the topic's lists.
    """

    def __init__(self, topic: Candidates) -> None:
        lists = topic.lists
        documents = np.concatenate([ranked.documents for ranked in lists])
        runs = np.repeat(np.arange(len(lists)), [len(ranked.documents) for ranked in lists])
        ranks = np.concatenate([ranked.ranks for ranked in lists])
        # The runs ascend already, and a stable sort leaves them so within a document.
        order = np.argsort(documents, kind="stable")
        self.documents: Places = documents[order]
        self.runs: Places = runs[order]
        self.ranks: Floats = ranks[order]
        self._starts = np.searchsorted(self.documents, np.arange(len(topic.docnos) + 1))

    def of(self, document: int) -> slice:
        """Where in the arrays a document stands."""
        return slice(int(self._starts[document]), int(self._starts[document + 1]))

    def summed(self, weights: Floats) -> Floats:
        """The sum for every document of the weights given to each (document, run, rank)."""
        return np.bincount(self.documents, weights=weights, minlength=len(self._starts) - 1).astype(
            np.float64
        )
