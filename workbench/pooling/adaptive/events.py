"""What happens in an adaptive pool; from its events, in order, the pool comes out again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Happening(StrEnum):
    """The kinds of events."""

    HANDED_OUT = "handed_out"
    GIVEN_BACK = "given_back"
    JUDGED = "judged"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a pair.

    `relevant` is for JUDGED only: None is an answer that is no grade (unsure, cannot judge).
    """

    happening: Happening
    topic: str
    docno: str
    relevant: bool | None = None
