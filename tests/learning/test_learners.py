"""The learners: what a round learns from, and how documents are ordered."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit

from tests.learning.small_collection import small_vectors
from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.learning import learners
from workbench.learning.learners import (
    BMI,
    LEARNERS,
    SEARCH,
    Lesson,
    Logistic,
    fit_logistic,
    learner_named,
    model_of,
    order_of,
)
from workbench.learning.review import next_batch, read_in_rounds
from workbench.learning.vectors import Bools, Vectors


def lesson(judged: dict[str, bool], *, seed: int = 0, number: int = 0) -> Lesson:
    vectors = small_vectors()
    rows = np.array([vectors.places[docno] for docno in judged], dtype=np.intp)
    answers = np.array(list(judged.values()), dtype=np.bool_)
    return Lesson(vectors, vectors.vector("wing lift"), rows, answers, seed, number)


def docnos(vectors: Vectors, rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> list[str]:
    return [vectors.docnos[row] for row in rows.tolist()]


def test_batches_grow_as_the_worked_case_has_them() -> None:
    case = cases("71_search_learning.json")["bmi_batch_sizes"]
    sizes = [case["input"]["first"]]
    while len(sizes) < case["input"]["batches"]:
        sizes.append(next_batch(sizes[-1]))
    assert sizes == case["expected"]["sizes"]
    assert np.cumsum(sizes).tolist() == case["expected"]["judged_after"]


def test_a_round_learns_from_topic_judgments_and_presumed_negatives(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, list[bool]]] = []

    def fit(rows: csr_array, relevant: Bools) -> Logistic:
        seen.append((rows.shape[0], relevant.tolist()))
        return fit_logistic(rows, relevant)

    monkeypatch.setattr(learners, "fit_logistic", fit)
    BMI.learn(lesson({"d1": True, "d3": False}))
    # The topic and d1 are relevant, d3 is not; the other four are presumed not relevant, fewer than 100 being
    # left.
    assert seen == [(7, [True, True, False, False, False, False, False])]


def test_presumed_negatives_are_drawn_anew_each_round_and_the_same_for_a_seed() -> None:
    first, again = (lesson({}, seed=3, number=1).generator(1).integers(2**60) for _ in range(2))
    assert first == again
    assert lesson({}, seed=3, number=2).generator(1).integers(2**60) != first
    assert lesson({}, seed=4, number=1).generator(1).integers(2**60) != first


def test_what_was_judged_decides_the_order() -> None:
    vectors = small_vectors()
    unread = np.ones(6, dtype=np.bool_)
    scores = BMI.learn(lesson({"d1": True}))
    assert set(docnos(vectors, order_of(scores, unread))[:2]) == {"d1", "d2"}
    # d4 has three words in common with d3.
    with_it, against_it = (BMI.learn(lesson({"d1": True, "d3": answer})) for answer in (True, False))
    assert with_it[vectors.places["d4"]] > against_it[vectors.places["d4"]] + 0.5


def test_ties_are_in_the_order_of_docnos_and_rounding_decides_nothing() -> None:
    scores = np.array([0.5, 0.7, 0.7 + 1e-9, 0.7])
    assert order_of(scores, np.array([True, True, True, True])).tolist() == [1, 2, 3, 0]


def test_search_ignores_judgments_and_random_follows_the_seed() -> None:
    assert (SEARCH.learn(lesson({})) == SEARCH.learn(lesson({"d1": False}))).all()
    shuffled = LEARNERS["random"].learn(lesson({}, seed=1))
    assert (shuffled == LEARNERS["random"].learn(lesson({"d1": True}, seed=1, number=5))).all()
    assert (shuffled != LEARNERS["random"].learn(lesson({}, seed=2))).any()


def test_uncertainty_is_greatest_where_the_model_is_least_sure() -> None:
    given = lesson({"d1": True, "d3": False})
    sure = np.abs(expit(model_of(given).decisions(given.vectors.matrix)) - 0.5)
    assert LEARNERS["uncertainty"].learn(given).argmax() == sure.argmin()


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_reads_everything_once_and_the_same_again(name: str) -> None:
    vectors = small_vectors()
    relevant = np.array([True, True, False, False, False, False])

    def order() -> list[int]:
        rounds = read_in_rounds(vectors, vectors.vector("wing"), relevant, learner_named(name), seed=7)
        return [row for one in rounds for row in one.tolist()]

    assert sorted(order()) == list(range(6))
    assert order() == order()


def test_an_unknown_learner_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="bmi, uncertainty"):
        learner_named("magic")
