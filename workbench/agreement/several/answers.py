"""What everybody answered, as one array: grades, and the answers that are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Pair = tuple[str, str]
"""A topic and a docno."""

NO_ANSWER, UNSURE, CANNOT_JUDGE = -1, -2, -3

Said = NDArray[np.int16] | NDArray[np.int64]
"""Answers as numbers; in two bytes each wherever the largest grade goes into them."""


@dataclass(frozen=True, slots=True)
class Voice:
    """One who answers: a person, or a machine."""

    name: str
    machine: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers by assessor and pair: a grade, or NO_ANSWER, UNSURE or CANNOT_JUDGE.

    `grades` has the shape (voices, pairs). Pairs and topics are sorted by bytes, so that neither depends on
    who answered first; `topics` numbers the topic of every pair, `topic_names` says what it is called.
    """

    voices: tuple[Voice, ...]
    grades: Said
    pairs: tuple[Pair, ...]
    topics: NDArray[np.int64]
    topic_names: tuple[str, ...]


def answers_of(voices: Sequence[Voice], said: Sequence[tuple[int, str, str, int]]) -> Answers:
    """Answers from rows of the assessor's place in `voices`, topic, docno and answer; the last row holds."""
    who, its_topics, docnos, answers = zip(*said, strict=True) if said else ((), (), (), ())
    given = list(zip(its_topics, docnos, strict=True))
    pairs = sorted(set(given), key=_in_bytes)
    names = tuple(dict.fromkeys(topic for topic, _ in pairs))
    place = {pair: number for number, pair in enumerate(pairs)}
    topic_place = {topic: number for number, topic in enumerate(names)}
    number = np.int16 if max(answers, default=0) <= np.iinfo(np.int16).max else np.int64
    grades = np.full((len(voices), len(pairs)), NO_ANSWER, dtype=number)
    columns = np.fromiter(map(place.__getitem__, given), np.int64, len(given))
    # Where a place is given twice, numpy keeps the last.
    grades[np.array(who, np.int64), columns] = np.array(answers, number)
    topics = np.fromiter((topic_place[topic] for topic, _ in pairs), np.int64, len(pairs))
    return Answers(tuple(voices), grades, tuple(pairs), topics, names)


def _in_bytes(pair: Pair) -> tuple[bytes, bytes]:
    topic, docno = pair
    return topic.encode("utf-8", "surrogateescape"), docno.encode("utf-8", "surrogateescape")
