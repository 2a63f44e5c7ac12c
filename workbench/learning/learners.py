"""The registry of learners: what each makes of a topic's text and judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.sparse import csr_array, vstack
from scipy.special import expit

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.learning.vectors import Bools, Floats, Numbers, Vectors

PRESUMED = 100
"""Documents that a round presumes not relevant, drawn at random and never recorded as judgments."""
# The digits that count when scores are compared; those behind them differ between machines.
_DECIMALS = 5
_PRESUMED, _SHUFFLED = 1, 2  # what a draw is for, so that no two draws of a round are the same


@frozen_dataclass
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


@frozen_dataclass
class Learner:
    """A way to order the documents that nobody has read yet.

    `learn` makes of a lesson a score for each document (documents,), the highest to be read first.
    """

    name: str
    help: str
    source: str
    learn: Callable[[Lesson], Floats]


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


def _by_relevance(lesson: Lesson) -> Floats:
    return model_of(lesson).decisions(lesson.vectors.matrix)


def _by_uncertainty(lesson: Lesson) -> Floats:
    return -np.abs(_by_relevance(lesson))


def _by_search(lesson: Lesson) -> Floats:
    """The cosine of each document with the topic's text."""
    return np.asarray((lesson.vectors.matrix @ lesson.topic.T).toarray().ravel(), dtype=np.float64)


def _at_random(lesson: Lesson) -> Floats:
    # Of the first round, so that the order stays the same throughout.
    generator = np.random.default_rng((lesson.seed, 0, _SHUFFLED))
    return generator.permutation(len(lesson.vectors)).astype(np.float64)


BMI = Learner(
    "bmi",
    "the documents most likely to be relevant, by a model of the topic's text and judgments",
    "Cormack and Grossman 2015 (the TREC Total Recall baseline)",
    _by_relevance,
)
UNCERTAINTY = Learner(
    "uncertainty",
    "the documents that the same model is least sure of; teaches it most, but finds relevant ones later",
    "Lewis and Gale 1994",
    _by_uncertainty,
)
SEARCH = Learner(
    "search",
    "by the topic's text alone, ignoring judgments; the baseline to beat",
    "Manning, Raghavan and Schütze 2008, section 6.3 (cosine of tf-idf)",
    _by_search,
)
RANDOM_ORDER = Learner("random", "at random, ignoring judgments", "a permutation by the seed", _at_random)

LEARNERS: Mapping[str, Learner] = {one.name: one for one in (BMI, UNCERTAINTY, SEARCH, RANDOM_ORDER)}


def learner_named(name: str) -> Learner:
    """The learner of this name; raises WorkbenchError with those that exist."""
    if name not in LEARNERS:
        raise WorkbenchError(f'there is no learner "{name}"', remedy=f"choose one of {', '.join(LEARNERS)}")
    return LEARNERS[name]


def order_of(scores: Floats, unread: Bools) -> Numbers:
    """The unread documents, the highest score first, ties by docno ascending; shape (unread,)."""
    rows = np.flatnonzero(unread)
    # Rows are in the order of their docnos, and a stable sort keeps it in ties.
    return rows[np.argsort(-np.round(scores[rows], _DECIMALS), kind="stable")]


COST = 10.0
"""What an error costs beside the squared length of the weights (liblinear's C).

On Cranfield and CF 10 needs 4 to 7 % fewer documents for recall .8 and .9 than 100 does; 3 finds fewer early.
"""
# The gradient's length where the search ends, as a share of its length at the beginning; liblinear's is 0.01.
_TOLERANCE = 1e-4
_STEPS = 50
_DIRECTIONS = 100
_HALVINGS = 30


@frozen_dataclass
class Logistic:
    """A fitted model: a document is relevant with probability 1 / (1 + exp(-(weights · row + intercept)))."""

    weights: Floats
    intercept: float

    def decisions(self, rows: csr_array) -> Floats:
        """The log-odds of each row, shape (rows,)."""
        # In the rows' own precision: a wider vector would have scipy copy the whole matrix.
        product = rows @ self.weights.astype(rows.dtype)
        return np.asarray(product, dtype=np.float64) + self.intercept


def fit_logistic(rows: csr_array, relevant: Bools, *, cost: float = COST) -> Logistic:
    """The model with the least ½ |w|² + ½ b² + cost · Σ ln(1 + exp(-y (w · x + b))), y = ±1.

    `rows` is (documents, columns), `relevant` (documents,). The intercept is penalised like a weight, as in
    liblinear. Raises WorkbenchError unless there are documents of both kinds.
    Source: Lin, Weng and Keerthi 2008, with a line search in place of their trust region.
    """
    if relevant.all() or not relevant.any():
        raise WorkbenchError(
            "a model needs relevant and other documents to learn from",
            remedy="judge one of each, or let negatives be presumed",
        )
    # Only columns that the training documents have can get a weight, and these are few.
    columns, places = np.unique(rows.indices, return_inverse=True)
    width = len(columns)
    data = np.append(rows.data.astype(np.float64), np.ones(rows.shape[0]))
    entries = np.append(places, np.full(rows.shape[0], width))
    numbers = np.append(np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), np.arange(rows.shape[0]))
    examples = csr_array((data, (numbers, entries)), shape=(rows.shape[0], width + 1))
    fitted = _minimum(examples, np.where(relevant, 1.0, -1.0), cost)
    weights = np.zeros(rows.shape[1])
    weights[columns] = fitted[:width]
    return Logistic(weights, float(fitted[width]))


def _minimum(rows: csr_array, signs: Floats, cost: float) -> Floats:
    """The weights at the minimum; the function is strictly convex, so there is one."""
    across = rows.T.tocsr()
    weights = np.zeros(rows.shape[1])
    margins = np.zeros(rows.shape[0])
    gradient = across @ (-cost * signs / 2)
    first = float(np.linalg.norm(gradient))
    for _ in range(_STEPS):
        if np.linalg.norm(gradient) <= _TOLERANCE * first:
            break
        probabilities = expit(margins)
        curvature = cost * probabilities * (1 - probabilities)
        step = _newton_step(rows, across, curvature, gradient)
        change = rows @ step
        length = _step_length(weights, step, margins, change, signs, cost)
        weights += length * step
        margins += length * change
        gradient = weights + across @ (-cost * signs * expit(-signs * margins))
    return weights


def _newton_step(rows: csr_array, across: csr_array, curvature: Floats, gradient: Floats) -> Floats:
    """The step to the minimum of the local parabola: (I + Xᵀ D X) step = -gradient, solved roughly."""
    step = np.zeros_like(gradient)
    residual = -gradient
    direction = residual.copy()
    square = float(residual @ residual)
    enough = 0.01 * square
    for _ in range(_DIRECTIONS):
        if square <= enough:
            break
        bent = direction + across @ (curvature * (rows @ direction))
        share = square / float(direction @ bent)
        step += share * direction
        residual -= share * bent
        before, square = square, float(residual @ residual)
        direction = residual + (square / before) * direction
    return step


def _step_length(
    weights: Floats, step: Floats, margins: Floats, change: Floats, signs: Floats, cost: float
) -> float:
    """The first of 1, ½, ¼ ... with which the function falls enough (Armijo)."""

    def value(length: float) -> float:
        moved = weights + length * step
        return float(moved @ moved) / 2 + cost * float(
            np.logaddexp(0, -signs * (margins + length * change)).sum()
        )

    start = value(0.0)
    slope = float(weights @ step) - cost * float((signs * expit(-signs * margins)) @ change)
    length = 1.0
    for _ in range(_HALVINGS):
        if value(length) <= start + 1e-4 * length * slope:
            break
        length /= 2
    return length
