"""Which pairs are disputed: what assessors said of each, and how far apart that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from workbench.errors import WorkbenchError
from workbench.records import Answer, Judgment, Scale, id_bytes

Pair = tuple[str, str]
"""A topic and a docno."""


class Difference(StrEnum):
    """What makes a pair disputed."""

    ANY = "any"
    LINE = "line"
    DISTANCE = "distance"

    @property
    def label(self) -> str:
        """The difference in words."""
        return _LABELS[self]


_LABELS = {
    Difference.ANY: "any two grades that differ",
    Difference.LINE: "relevant to one, not relevant to another",
    Difference.DISTANCE: "grades that lie so many steps apart",
}


@dataclass(frozen=True, slots=True)
class DisputeRule:
    """What counts as disputed: which difference, from how many steps, and whether no grade beside one does.

    `steps` matters to `Difference.DISTANCE` only. With `beside_grades` a pair of which one assessor gave a
    grade and another was unsure or could not judge is disputed as well.
    Raises WorkbenchError for fewer steps than one.
    """

    difference: Difference = Difference.ANY
    steps: int = 2
    beside_grades: bool = False

    @property
    def label(self) -> str:
        """The difference in words, with the number of steps where it matters."""
        if self.difference is Difference.DISTANCE:
            return (
                f"grades that lie {self.steps} steps apart or more"
                if self.steps > 1
                else Difference.ANY.label
            )
        return self.difference.label

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise WorkbenchError(f"grades cannot lie {self.steps} steps apart", remedy="1 or more")

    def holds(self, spread: Spread) -> bool:
        """Whether what was said of a pair is a dispute."""
        if self.beside_grades and spread.graded and spread.answers > spread.graded:
            return True
        if self.difference is Difference.LINE:
            return spread.crosses
        return spread.distance >= (self.steps if self.difference is Difference.DISTANCE else 1)


@dataclass(frozen=True, slots=True)
class Spread:
    """How far apart the answers of a pair lie.

    `distance` is between the lowest and highest grade given and `mean` the mean over every two grades, both
    in steps of the declared scale; `crosses` says that some of them count as relevant and some do not.
    `graded` of the `answers` are grades.
    """

    distance: int
    mean: float
    crosses: bool
    graded: int
    answers: int


@dataclass(frozen=True, slots=True)
class Dispute:
    """A disputed pair: what each assessor said, sorted by name, and how far apart it lies."""

    topic: str
    docno: str
    said: tuple[Judgment, ...]
    spread: Spread

    @property
    def grades(self) -> tuple[int, ...]:
        """The different grades that were given, ascending."""
        return tuple(sorted({one.grade for one in self.said if one.grade is not None}))


def spread_of(said: Iterable[Judgment], scale: Scale) -> Spread:
    """How far apart the answers of one pair lie; raises WorkbenchError for a grade outside the scale.

    Steps are counted on the scale, so that 0 and 10 lie one step apart where there is nothing between.

    >>> from workbench.records import FOUR_GRADES
    >>> spread_of([Judgment("a", "1", "d", 0), Judgment("b", "1", "d", 3)], FOUR_GRADES).distance
    3
    """
    answers = list(said)
    places = _places(scale)
    steps = [_place(places, one.grade, scale) for one in answers if one.grade is not None]
    apart = [abs(one - other) for one, other in combinations(steps, 2)]
    line = places[scale.relevant_from]
    relevant = sum(step >= line for step in steps)
    return Spread(
        distance=max(apart, default=0),
        mean=sum(apart) / len(apart) if apart else 0.0,
        crosses=0 < relevant < len(steps),
        graded=len(steps),
        answers=len(answers),
    )


def by_pair(judgments: Iterable[Judgment]) -> dict[Pair, tuple[Judgment, ...]]:
    """Judgments by (topic, docno), each pair's sorted by assessor."""
    found: dict[Pair, list[Judgment]] = {}
    for judgment in judgments:
        found.setdefault((judgment.topic, judgment.docno), []).append(judgment)
    return {pair: tuple(sorted(said, key=lambda one: one.assessor)) for pair, said in found.items()}


def disputes(judgments: Iterable[Judgment], *, rule: DisputeRule, scale: Scale) -> tuple[Dispute, ...]:
    """The disputed pairs among the current judgments, one of each assessor and pair, sorted as bytes.

    Raises WorkbenchError for a grade outside the scale.
    """
    found = []
    # Most pairs are agreed on, or judged by one: what was said of a pair is looked up, not reckoned anew.
    known: dict[tuple[int | None, ...], Spread] = {}
    for (topic, docno), said in by_pair(judgments).items():
        if len(said) < 2:
            continue
        grades = tuple(one.grade if one.answer is Answer.GRADE else None for one in said)
        if grades not in known:
            known[grades] = spread_of(said, scale)
        if rule.holds(known[grades]):
            found.append(Dispute(topic, docno, said, known[grades]))
    found.sort(key=lambda one: (id_bytes(one.topic), id_bytes(one.docno)))
    return tuple(found)


def _places(scale: Scale) -> Mapping[int, int]:
    return {grade.value: place for place, grade in enumerate(scale.grades)}


def _place(places: Mapping[int, int], grade: int, scale: Scale) -> int:
    return places[scale.grade(grade).value]
