"""Models of assessors: worked steps, and Crowd-Kit as oracle."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support import cases
from workbench.consensus.models.dawid_skene import by_dawid_skene, dawid_skene, expected, learnt
from workbench.consensus.models.glad import by_glad, glad
from workbench.consensus.models.glad import expected as expected_by_glad
from workbench.consensus.models.mace import by_mace, mace
from workbench.consensus.models.votes import Posterior, Votes, votes_of
from workbench.consensus.rule import Evidence
from workbench.consensus.settle import consensus
from workbench.records import BINARY, Judgment

FILE = "50_label_aggregation.json"
LABELS = ["no", "yes"]
MODELS: dict[str, Callable[[Votes], Posterior]] = {"dawid-skene": dawid_skene, "mace": mace, "glad": glad}
# Crowd-Kit's name of each model, and how it is asked.
ORACLES: dict[str, tuple[str, dict[str, Any]]] = {
    "dawid-skene": ("DawidSkene", {"n_iter": 50, "tol": 0}),
    "mace": ("MACE", {"n_restarts": 3, "n_iter": 20}),
    "glad": ("GLAD", {}),
}


def toy() -> Votes:
    given = cases(FILE)["dawid_skene_toy_iter0"]["input"]["worker_task_label"]
    return votes_of((int(task[1]) - 1, int(who[1]) - 1, LABELS.index(label)) for who, task, label in given)


def by_crowd_kit(votes: Votes, model: str, **said: Any) -> Any:
    """What Crowd-Kit says of the votes, by pair; it warns of its own use of pandas."""
    # Imported here, since only one worker needs it and it brings half of all that tests import.
    import pandas as pd
    from crowdkit import aggregation

    table = pd.DataFrame({"task": votes.pairs, "worker": votes.assessors, "label": votes.grades})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(aggregation, model)(**said).fit(table)


def simulated(*, seed: int, pairs: int = 60, assessors: int = 7, grades: int = 3) -> tuple[Votes, Any]:
    """Votes of assessors of whom the first are good and the last guess, and the true grades."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, grades, pairs)
    right = np.linspace(0.95, 0.4, assessors)
    triples = [
        (
            pair,
            who,
            int(truth[pair] if generator.random() < right[who] else generator.integers(0, grades)),
        )
        for pair in range(pairs)
        for who in range(assessors)
        if generator.random() < 0.8 or who == 0
    ]
    return votes_of(triples), truth


@pytest.mark.parametrize("steps", [0, 1])
def test_the_steps_of_dawid_and_skene_are_the_worked_ones(steps: int) -> None:
    case = cases(FILE)[f"dawid_skene_toy_iter{steps}"]["expected"]
    votes = toy()
    posterior = votes.shares()
    for _ in range(steps):
        posterior = expected(votes, learnt(votes, posterior))
    errors = learnt(votes, posterior)
    assert posterior == pytest.approx(np.array(list(case["posterior_no_yes"].values())), abs=1e-6)
    assert errors.prior.tolist() == pytest.approx([case["prior"]["no"], case["prior"]["yes"]], abs=1e-6)
    wanted = np.array(list(case["error_rates_worker_true_observed"].values()))
    assert errors.tables == pytest.approx(wanted, abs=1e-6)


def test_dawid_and_skene_converge_where_they_should() -> None:
    case = cases(FILE)["dawid_skene_toy_converged"]["expected"]
    found = dawid_skene(toy())
    assert found.settled
    assert found.probabilities[:, 1].tolist() == pytest.approx(list(case["posterior_yes"].values()), abs=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_settles_the_toy_data_as_crowd_kits_tests_do(name: str) -> None:
    case = cases(FILE)["mace_toy_labels"]["expected"]["labels"]
    found = MODELS[name](toy()).grades()
    assert [LABELS[grade] for grade in found] == list(case.values())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_every_model_settles_simulated_votes_as_crowd_kit_does(name: str, seed: int) -> None:
    votes, truth = simulated(seed=seed)
    model, said = ORACLES[name]
    oracle = by_crowd_kit(votes, model, **said).labels_.sort_index().to_numpy()
    found = MODELS[name](votes)
    # Random starts, stopping rules and the last digits differ, so a doubtful pair may go the other way.
    assert (found.grades() == oracle).mean() >= 0.95
    assert (found.grades() == truth).mean() >= 0.85


@pytest.mark.slow
def test_dawid_and_skenes_probabilities_are_crowd_kits() -> None:
    votes, _ = simulated(seed=4, pairs=30, grades=2)
    told = by_crowd_kit(votes, "DawidSkene", n_iter=150, tol=-1.0).probas_
    oracle = told.sort_index().sort_index(axis=1).to_numpy()
    # Crowd-Kit writes probabilities below 1e-10 as 1e-10.
    assert dawid_skene(votes, near=1e-12).probabilities == pytest.approx(oracle, abs=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_the_good_assessor_is_found_out_and_so_is_the_guesser(name: str) -> None:
    votes, _ = simulated(seed=5, pairs=200)
    reliability = MODELS[name](votes).reliability
    assert reliability[0] > reliability[3] > reliability[6]


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_are_probabilities(name: str) -> None:
    votes, _ = simulated(seed=6)
    found = MODELS[name](votes)
    assert found.probabilities.sum(axis=1) == pytest.approx(1.0)
    assert (found.probabilities >= 0).all()
    assert (found.confidence() == found.probabilities.max(axis=1)).all()


def test_the_e_step_of_glad_gives_the_published_probability() -> None:
    # Two votes for the same of two grades with ability 1 and ease e: 1 / (1 + exp(-2 e)) = .995664.
    votes = votes_of([(0, 0, 1), (0, 1, 1)])
    found = expected_by_glad(votes, np.ones(2), np.ones(1), np.array([0.5, 0.5]))
    assert found[0, 1] == pytest.approx(0.995664, abs=1e-6)


def test_the_same_seed_gives_the_same_answer() -> None:
    votes, _ = simulated(seed=7)
    assert (mace(votes, seed=3).probabilities == mace(votes, seed=3).probabilities).all()


@pytest.mark.parametrize("name", ["dawid-skene", "mace", "glad"])
def test_a_model_does_not_depend_on_the_order_of_judgments(name: str) -> None:
    generator = np.random.default_rng(8)
    given = [
        Judgment(f"a{who}", str(topic), f"d{doc}", int(generator.random() < 0.3 + 0.4 * (doc % 2)))
        for topic in range(3)
        for doc in range(5)
        for who in range(4)
    ]
    one = consensus(given, rule=name, scale=BINARY)
    other = consensus(given[::-1], rule=name, scale=BINARY)
    assert one == other
    assert len(one.confidence) == len(one.qrels) == 15
    assert all(0.5 <= sure <= 1 for sure in one.confidence)


def test_nothing_to_settle_is_settled_as_nothing() -> None:
    for settle in (by_dawid_skene, by_mace, by_glad):
        assert settle(Evidence({})) == {}
