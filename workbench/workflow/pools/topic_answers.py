"""The current answers of one topic as arrays, with what is computed of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Set
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE
from workbench.records import Answer

CODES: Mapping[str, int] = {Answer.UNSURE: UNSURE, Answer.CANNOT_JUDGE: CANNOT_JUDGE}
"""How answers that are no grade stand in arrays of grades."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TopicAnswers:
    """The current answers of one topic, those that are withdrawn or postponed left out.

    Answer number i is that of `assessors[i]`, an id, to the document `docnos[places[i]]`: a grade, UNSURE or
    CANNOT_JUDGE. They stand by document, then assessor; the documents are sorted by bytes. `discussed` says
    whether any answer was given in a discussion, withdrawn since or not.
    """

    topic: str
    joined: bytes
    documents: int
    places: NDArray[np.int32]
    assessors: NDArray[np.int64]
    codes: NDArray[np.int64]
    discussed: bool
    _kept: dict[Hashable, object] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.documents) or self.discussed

    @property
    def docnos(self) -> tuple[str, ...]:
        """The documents that have an answer."""
        return tuple(self.joined.decode("utf-8", "surrogateescape").split("\n")) if self.documents else ()

    def of_people(self, machines: Set[int]) -> NDArray[np.bool_]:
        """Which of the answers are none of these machines'."""
        found: NDArray[np.bool_] = ~np.isin(self.assessors, np.fromiter(machines, np.int64, len(machines)))
        return found

    def same(self, other: TopicAnswers) -> bool:
        """Whether these are the same answers, whatever the topic."""
        arrays = ((self.places, other.places), (self.assessors, other.assessors), (self.codes, other.codes))
        return (
            self.joined == other.joined
            and self.discussed == other.discussed
            and all(np.array_equal(mine, theirs) for mine, theirs in arrays)
        )

    def keep(self, what: Hashable, make: Callable[[TopicAnswers], T]) -> T:
        """What is computed of these answers: made once for each key, and gone with them.

        `what` names the calculation and all that it depends on besides; of a calculation there should be few.
        """
        found = self._kept.get(what, self)
        if found is self:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            found = self._kept[what] = make(self)
        return found  # type: ignore[return-value]  # of one key always the same type


MOST_KEPT = 32
"""Values that are kept with a topic; when there are more, all are made anew as they are asked for."""


def no_answers(topic: str) -> TopicAnswers:
    """A topic that nobody has answered anything of."""
    nothing = np.zeros(0, np.int64)
    return TopicAnswers(topic, b"", 0, nothing.astype(np.int32), nothing, nothing, False)
