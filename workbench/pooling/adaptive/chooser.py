"""What every adaptive strategy shares: the protocol of a chooser, and which runs retrieved a document."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.pooling.candidates import Floats, Places, TopicCandidates

Free = NDArray[np.bool_]
"""For each document of the topic whether it can still be handed out."""


class Chooser(Protocol):
    """Chooses the next document of one topic; documents are places in the topic's sorted docnos.

    Whatever it is told is kept apart: what was learned from judgments can be forgotten and told again, in
    order, when an assessor changes an answer, while what was handed out stays handed out.
    """

    def choose(self, free: Free) -> int | None:
        """The free document to hand out next, None if there is none; changes nothing."""

    def took(self, document: int, free: Free) -> None:
        """A document, still free in `free`, is handed out."""

    def returned(self, document: int) -> None:
        """A document that was handed out has come back without an answer."""

    def learn(self, document: int, relevant: bool) -> None:
        """A document was judged; each is told once until `forget`."""

    def forget(self) -> None:
        """Nothing has been judged: the judgments will be told again."""


class JudgmentsOnly:
    """The part of a chooser to which it is all one what was handed out, since only judgments matter."""

    def took(self, document: int, free: Free) -> None:
        """The next choice does not depend on it."""

    def returned(self, document: int) -> None:
        """It is free again, which is all."""


class Retrieved:
    """All (document, run, rank) of a topic as three arrays, sorted by document, then run.

    Runs are places in the topic's lists.
    """

    def __init__(self, topic: TopicCandidates) -> None:
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
        """The place of a document in the arrays."""
        return slice(int(self._starts[document]), int(self._starts[document + 1]))

    def summed(self, weights: Floats) -> Floats:
        """The sum for every document of the weights given to each (document, run, rank)."""
        return np.bincount(self.documents, weights=weights, minlength=len(self._starts) - 1).astype(
            np.float64
        )
