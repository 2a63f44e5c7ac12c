"""Dawid and Skene's model: worked steps, and Crowd-Kit as oracle."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from tests.support import cases
from workbench.consensus.rules import dawid_skene, expected, learnt
from workbench.consensus.settle import consensus, consensus_of_table
from workbench.consensus.votes import Votes, vote_table
from workbench.errors import WorkbenchError
from workbench.records import BINARY, Answer, Judgment

FILE = "50_label_aggregation.json"
LABELS = ["no", "yes"]


def votes_of(triples: Iterable[tuple[int, int, int]]) -> Votes:
    """Votes from (pair, assessor, grade), numbers from 0 without gaps."""
    table = np.array(list(triples), dtype=np.int64).reshape(-1, 3)
    pairs, assessors, grades = table.T
    sizes = table.max(axis=0, initial=-1) + 1
    return Votes(pairs, assessors, grades, *sizes.tolist())


def toy() -> Votes:
    given = cases(FILE)["dawid_skene_toy_iter0"]["input"]["worker_task_label"]
    return votes_of((int(task[1]) - 1, int(who[1]) - 1, LABELS.index(label)) for who, task, label in given)


def by_crowd_kit(votes: Votes, **said: Any) -> Any:
    """What Crowd-Kit says of the votes, by pair; it warns of its own use of pandas."""
    # Imported here, since only one worker needs it and it brings half of all that tests import.
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    table = pd.DataFrame({"task": votes.pairs, "worker": votes.assessors, "label": votes.grades})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DawidSkene(**said).fit(table)


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
    posterior, once = votes.shares(), np.ones(votes.n_pairs)
    for _ in range(steps):
        posterior = expected(votes, *learnt(votes, posterior, once))
    prior, tables = learnt(votes, posterior, once)
    assert posterior == pytest.approx(np.array(list(case["posterior_no_yes"].values())), abs=1e-6)
    assert prior.tolist() == pytest.approx([case["prior"]["no"], case["prior"]["yes"]], abs=1e-6)
    wanted = np.array(list(case["error_rates_worker_true_observed"].values()))
    assert tables == pytest.approx(wanted, abs=1e-6)


def test_dawid_and_skene_converge_where_they_should() -> None:
    case = cases(FILE)["dawid_skene_toy_converged"]["expected"]
    found = dawid_skene(toy())
    assert found.settled
    assert [LABELS[grade] for grade in found.grades()] == list(case["labels"].values())
    assert found.probabilities[:, 1].tolist() == pytest.approx(list(case["posterior_yes"].values()), abs=1e-6)


def test_pairs_that_were_judged_alike_count_as_often_as_they_are() -> None:
    votes, _ = simulated(seed=7, pairs=300, grades=2)
    kinds, of_pair, times = votes.alike()
    assert (times.sum(), len(of_pair)) == (300, 300)
    assert kinds.n_pairs == len(times) < 300
    # Whoever votes as others did is of their kind: the shares of the kind are those of each of its pairs.
    assert kinds.shares()[of_pair].tolist() == votes.shares().tolist()
    posterior, once = votes.shares(), np.ones(votes.n_pairs)
    for found, alone in zip(
        learnt(kinds, kinds.shares(), times), learnt(votes, posterior, once), strict=True
    ):
        assert found == pytest.approx(alone, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_simulated_votes_are_settled_as_crowd_kit_does(seed: int) -> None:
    votes, truth = simulated(seed=seed)
    oracle = by_crowd_kit(votes, n_iter=50, tol=0).labels_.sort_index().to_numpy()
    found = dawid_skene(votes)
    # Stopping rules and the last digits differ, so a doubtful pair may go the other way.
    assert (found.grades() == oracle).mean() >= 0.95
    assert (found.grades() == truth).mean() >= 0.85


@pytest.mark.slow
def test_dawid_and_skenes_probabilities_are_crowd_kits() -> None:
    votes, _ = simulated(seed=4, pairs=30, grades=2)
    told = by_crowd_kit(votes, n_iter=150, tol=-1.0).probas_
    oracle = told.sort_index().sort_index(axis=1).to_numpy()
    # Crowd-Kit writes probabilities below 1e-10 as 1e-10.
    assert dawid_skene(votes, near=1e-12).probabilities == pytest.approx(oracle, abs=1e-6)


def test_the_good_assessor_is_found_out_and_so_is_the_guesser() -> None:
    votes, _ = simulated(seed=5, pairs=200)
    reliability = dawid_skene(votes).reliability
    assert reliability[0] > reliability[3] > reliability[6]


def test_probabilities_are_probabilities() -> None:
    votes, _ = simulated(seed=6)
    found = dawid_skene(votes)
    assert found.probabilities.sum(axis=1) == pytest.approx(1.0)
    assert (found.probabilities >= 0).all()
    assert (found.confidence() == found.probabilities.max(axis=1)).all()


def test_the_order_of_judgments_does_not_matter() -> None:
    generator = np.random.default_rng(8)
    given = [
        Judgment(f"a{who}", str(topic), f"d{doc}", int(generator.random() < 0.3 + 0.4 * (doc % 2)))
        for topic in range(3)
        for doc in range(5)
        for who in range(4)
    ]
    one = consensus(given, rule="dawid-skene", scale=BINARY)
    other = consensus(given[::-1], rule="dawid-skene", scale=BINARY)
    assert one == other
    assert len(one.confidence) == len(one.qrels) == 15
    assert all(0.5 <= sure <= 1 for sure in one.confidence)


def test_nothing_to_settle_is_settled_as_nothing() -> None:
    assert consensus([], rule="dawid-skene").labels == ()


@pytest.mark.parametrize(("rule", "said"), [("dawid-skene", {}), ("adjudicated", {"then": "dawid-skene"})])
def test_two_assessors_who_gave_grades_are_too_few(rule: str, said: dict[str, str]) -> None:
    given = [Judgment(who, "1", f"d{doc}", doc % 2) for who in ("ann", "bea") for doc in range(4)]
    # Who gives no grade tells the model nothing.
    given.append(Judgment("cyd", "1", "d0", None, Answer.UNSURE))
    for settle in (
        lambda: consensus(given, rule=rule, scale=BINARY, relevant_from=None, decided=None, **said),
        lambda: consensus_of_table(vote_table(given, scale=BINARY), rule=rule, **said),
    ):
        with pytest.raises(WorkbenchError, match=r"three assessors or more; here 2 gave grades \(use"):
            settle()
    assert len(consensus([*given, Judgment("dan", "1", "d0", 0)], rule="dawid-skene").qrels) == 4
