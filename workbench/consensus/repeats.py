"""Judgments that an assessor repeated: each was an event, and the latest of a pair is what holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.records import Answer, Judgment


@dataclass(frozen=True, slots=True)
class Held:
    """The latest judgment of every assessor on every pair, in the order in which they were first judged.

    `repeated` counts those with an earlier one, `contradicted` those of them whose answers differ.
    """

    judgments: tuple[Judgment, ...]
    events: int
    repeated: int
    contradicted: int


def latest(judgments: Iterable[Judgment]) -> Held:
    """What holds of judgments in the order in which they were made.

    >>> latest([Judgment("ann", "1", "d", 1), Judgment("ann", "1", "d", 0)]).contradicted
    1
    """
    holds: dict[tuple[str, str, str], Judgment] = {}
    answers: dict[tuple[str, str, str], set[tuple[Answer, int | None]]] = {}
    repeated: set[tuple[str, str, str]] = set()
    events = 0
    for judgment in judgments:
        key = (judgment.assessor, judgment.topic, judgment.docno)
        if key in holds:
            repeated.add(key)
        holds[key] = judgment
        answers.setdefault(key, set()).add((judgment.answer, judgment.grade))
        events += 1
    contradicted = sum(len(answers[key]) > 1 for key in repeated)
    return Held(tuple(holds.values()), events, len(repeated), contradicted)
