"""Who a person is in a campaign."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A role in a campaign; one account may have several."""

    ORGANISER = "organiser"
    ASSESSOR = "assessor"
    ADJUDICATOR = "adjudicator"
    VIEWER = "viewer"
    PARTICIPANT = "participant"

    @property
    def description(self) -> str:
        """What a person in this role does, in one line."""
        return DESCRIPTIONS[self]


DESCRIPTIONS = {
    Role.ORGANISER: "loads runs, makes pools, assigns, and sees everything",
    Role.ASSESSOR: "judges the documents assigned, blind to everyone else",
    Role.ADJUDICATOR: "settles what assessors disagree on",
    Role.VIEWER: "reads agreement, qrels and scores, changes nothing",
    Role.PARTICIPANT: "sends a group's runs, and sees those of the group only",
}
