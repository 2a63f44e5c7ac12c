"""The roles that a person can have in a campaign."""

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
    Role.ORGANISER: "loads runs, makes pools, assigns topics and sees everything",
    Role.ASSESSOR: "judges the assigned documents and does not see the judgments of others",
    Role.ADJUDICATOR: "decides pairs on which assessors disagree",
    Role.VIEWER: "sees agreement, qrels and scores; cannot change anything",
    Role.PARTICIPANT: "submits the runs of a group and sees only those",
}
