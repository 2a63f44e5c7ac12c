"""Rules in which an adjudicator has a word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from workbench.consensus.outcomes import Evidence, Grades, Left, Outcome, Pair, Settled, share_of

UNDECIDED = "the assessors differ, and no adjudicator has decided"
ALONE = "only one assessor gave a grade, and two are needed"


def two_and_adjudicator(evidence: Evidence) -> dict[Pair, Outcome]:
    """The grade on which all assessors of a pair agree, two at least; else what the adjudicator decided.

    An adjudicator has no say where the assessors agree, as in TREC's question answering (Voorhees 2002).
    A pair on which they differ is left until it is decided, and so is one that only one has graded.
    """
    return {pair: _of_two(grades, evidence.decided.get(pair)) for pair, grades in evidence.graded.items()}


def adjudicated_first(
    evidence: Evidence, then: Callable[[Evidence], Mapping[Pair, Outcome]]
) -> dict[Pair, Outcome]:
    """What an adjudicator decided, of pairs too that nobody graded; every other pair by another rule.

    The other rule sees all grades, also of the decided pairs: a model learns from them.
    """
    found = dict(then(replace(evidence, decided={})))
    for pair, grade in evidence.decided.items():
        found[pair] = _decided(grade, evidence.graded.get(pair, {}))
    return found


def _of_two(grades: Grades, decided: int | None) -> Outcome:
    given = set(grades.values())
    if len(given) == 1 and len(grades) > 1:
        return Settled(given.pop(), 1.0)
    if decided is not None:
        return _decided(decided, grades)
    return Left(UNDECIDED if len(given) > 1 else ALONE)


def _decided(grade: int, grades: Grades) -> Settled:
    return Settled(grade, share_of(grade, grades), adjudicated=True)
