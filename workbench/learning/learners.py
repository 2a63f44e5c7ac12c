"""The registry of learners: what each makes of a topic's text and judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack

from workbench.errors import WorkbenchError
from workbench.learning.logistic import Logistic, fit_logistic
from workbench.learning.vectors import Bools, Floats, Numbers, Vectors

PRESUMED = 100
"""Documents that a round presumes not relevant, drawn at random and never recorded as judgments."""
# The digits that count when scores are compared; those behind them differ between machines.
_DECIMALS = 5
_PRESUMED, _SHUFFLED = 1, 2  # what a draw is for, so that no two draws of a round are the same


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a learner may know when a round begins.

    `topic` is the topic's text as a row of `vectors`; `judged` are rows of the collection, `relevant` what
    was answered, both in the order of judging (judged,). The same seed and round draw the same documents.
    """

    vectors: Vectors
    topic: csr_array
    judged: Numbers
    relevant: Bools
    seed: int
    round: int

    def generator(self, purpose: int) -> np.random.Generator:
        """Random numbers for one purpose of this round."""
        return np.random.default_rng((self.seed, self.round, purpose))


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a learner made of a lesson: a score for each document (documents,), the highest to be read first.

    `model` is None for a learner that fits none; without it no probabilities can be summed.
    """

    scores: Floats
    model: Logistic | None = None


@dataclass(frozen=True, slots=True)
class Learner:
    """A way to order the documents that nobody has read yet."""

    name: str
    help: str
    source: str
    learn: Callable[[Lesson], Lessons]


def model_of(lesson: Lesson) -> Logistic:
    """The model of a round: topic and relevant documents against the others and presumed negatives.

    The topic's text is one relevant document. `PRESUMED` documents of the whole collection are drawn anew for
    each round; one that was judged keeps its judgment.
    """
    vectors = lesson.vectors
    drawn = lesson.generator(_PRESUMED).choice(len(vectors), min(PRESUMED, len(vectors)), replace=False)
    presumed = np.setdiff1d(drawn, lesson.judged)
    rows = vectors.matrix[np.concatenate((lesson.judged, presumed))]
    relevant = np.concatenate(([True], lesson.relevant, np.zeros(len(presumed), dtype=np.bool_)))
    return fit_logistic(vstack([lesson.topic, rows], format="csr"), relevant)


def _by_relevance(lesson: Lesson) -> Lessons:
    model = model_of(lesson)
    return Lessons(model.decisions(lesson.vectors.matrix), model)


def _by_uncertainty(lesson: Lesson) -> Lessons:
    model = model_of(lesson)
    return Lessons(-np.abs(model.decisions(lesson.vectors.matrix)), model)


def _by_search(lesson: Lesson) -> Lessons:
    return Lessons(similarity(lesson.vectors, lesson.topic))


def _at_random(lesson: Lesson) -> Lessons:
    # Of the first round, so that the order stays the same throughout.
    generator = np.random.default_rng((lesson.seed, 0, _SHUFFLED))
    return Lessons(generator.permutation(len(lesson.vectors)).astype(np.float64))


BMI = Learner(
    "bmi",
    "what is most likely relevant, by a model of the topic's text and judgments",
    "Cormack and Grossman 2015 (the TREC Total Recall baseline)",
    _by_relevance,
)
UNCERTAINTY = Learner(
    "uncertainty",
    "what the same model is least sure of; teaches it most, finds later",
    "Lewis and Gale 1994",
    _by_uncertainty,
)
SEARCH = Learner(
    "search",
    "by the topic's text alone, whatever is judged; what a learner must beat",
    "Manning, Raghavan and Schütze 2008, section 6.3 (cosine of tf-idf)",
    _by_search,
)
RANDOM_ORDER = Learner("random", "at random, whatever is judged", "a permutation by the seed", _at_random)

LEARNERS: Mapping[str, Learner] = {one.name: one for one in (BMI, UNCERTAINTY, SEARCH, RANDOM_ORDER)}


def learner_named(name: str) -> Learner:
    """The learner of this name; raises WorkbenchError with those that exist."""
    if name not in LEARNERS:
        raise WorkbenchError(f'there is no learner "{name}"', remedy=f"one of {', '.join(LEARNERS)}")
    return LEARNERS[name]


def similarity(vectors: Vectors, row: csr_array) -> Floats:
    """The cosine of each document with a row of the same columns, shape (documents,)."""
    return np.asarray((vectors.matrix @ row.T).toarray().ravel(), dtype=np.float64)


def order_of(scores: Floats, unread: Bools) -> Numbers:
    """The unread documents, the highest score first, ties by docno ascending; shape (unread,)."""
    rows = np.flatnonzero(unread)
    # Rows are in the order of their docnos, and a stable sort keeps it in ties.
    return rows[np.argsort(-np.round(scores[rows], _DECIMALS), kind="stable")]
