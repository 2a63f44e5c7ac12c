"""The disputed pairs among judgments, found pair by pair, as the arrays of a campaign must find them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from workbench.consensus.disputes import DisputeRule, Spread, spread_of
from workbench.records import Judgment, Scale, id_bytes


@dataclass(frozen=True, slots=True)
class Dispute:
    """A disputed pair: its judgments, sorted by assessor, and how far apart they are."""

    topic: str
    docno: str
    judgments: tuple[Judgment, ...]
    spread: Spread

    @property
    def grades(self) -> tuple[int, ...]:
        """The different grades that were given, ascending."""
        return tuple(sorted({one.grade for one in self.judgments if one.grade is not None}))


def disputes(judgments: Iterable[Judgment], *, rule: DisputeRule, scale: Scale) -> tuple[Dispute, ...]:
    """The disputed pairs among the current judgments, one of each assessor and pair, sorted as bytes."""
    found = []
    in_order = sorted(judgments, key=lambda one: (id_bytes(one.topic), id_bytes(one.docno), one.assessor))
    for (topic, docno), of_pair in groupby(in_order, lambda one: (one.topic, one.docno)):
        given = tuple(of_pair)
        if len(given) > 1 and rule.disputes(spread := spread_of(given, scale)):
            found.append(Dispute(topic, docno, given, spread))
    return tuple(found)
