"""What a rule takes and gives: grades of pairs by assessor, and one grade for each or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Pair = tuple[str, str]
Grades = Mapping[str, int]
Graded = Mapping[Pair, Grades]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a rule may know of the pairs: who gave which grade, and what adjudicators decided.

    Every pair of `graded` has one grade or more; `decided` may hold pairs that nobody graded.
    `relevant_from` is the lowest grade of an assessor that counts as relevant.
    """

    graded: Graded
    decided: Mapping[Pair, int] = field(default_factory=dict)
    relevant_from: int = 1


@dataclass(frozen=True, slots=True)
class Settled:
    """The grade of a pair, and how sure it is, from 0 to 1.

    The confidence is the share of the assessors who gave this grade, or who stand on its side of the line of
    relevance where it is a sum, or its probability under a model. `adjudicated` grades are an adjudicator's.
    """

    grade: int
    confidence: float
    adjudicated: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """A pair that a rule leaves without a grade, and why."""

    reason: str


Outcome = Settled | Left


def share_of(grade: int, grades: Grades) -> float:
    """The share of the assessors who gave this grade; 0 where nobody gave any."""
    return sum(given == grade for given in grades.values()) / len(grades) if grades else 0.0
