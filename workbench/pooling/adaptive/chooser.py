"""The one shape of an adaptive strategy: what it is told about a topic and what it is asked."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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
