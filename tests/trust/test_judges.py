"""Other judges: rankings under each of the qrels and under mixtures, by hand and on real data."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import shared
from tests.trust.some_scores import table
from workbench.errors import WorkbenchError
from workbench.formats.judgments import read_judgments
from workbench.formats.runs import read_run_arrays
from workbench.scoring.measures import parse_measures
from workbench.scoring.rank_correlation import compare_rankings
from workbench.trust import orders
from workbench.trust.alternatives import score_under
from workbench.trust.assessors import draw, mixed_scores, qrels_of_assessors
from workbench.trust.judges import other_judges, verdict
from workbench.trust.orders import RankingOptions, rank_coefficients

# Two topics, three runs. Under ann r0 > r1 > r2 on both; under bob r1 > r0 > r2 on both.
ANN = [[0.5, 0.4, 0.1], [0.7, 0.5, 0.3]]
BOB = [[0.4, 0.6, 0.1], [0.5, 0.7, 0.3]]


def test_two_assessors_by_hand() -> None:
    found = other_judges(
        table({"ann": ANN, "bob": BOB}), ["ann", "bob"], RankingOptions("ann", mixtures=400, seed=3)
    )
    (bob,) = found.others
    # One of three pairs changes places: tau = (2 - 1) / 3; rho = 1 - 6 (1 + 1) / (3 * 8) = .5.
    assert (bob.name, bob.topics, bob.swapped, bob.tied) == ("bob", 2, 1, 0)
    assert (found.tied, found.ties) == (0, True)
    assert bob.coefficients["tau_a"] == pytest.approx(1 / 3)
    assert bob.coefficients["rho"] == pytest.approx(0.5)
    # The four mixtures are equally likely. Means of (r0, r1): ann, ann (.6, .45); bob, bob (.45, .65); ann,
    # bob (.5, .55); bob, ann (.55, .55): r1 is ahead in two of four, and r0 in one.
    (pair,) = [one for one in found.pairs if one.swapped]
    assert (pair.ahead, pair.behind) == ("r0", "r1")
    assert pair.gap == pytest.approx(0.15)
    assert pair.swapped == pytest.approx(0.5, abs=0.1)
    # Bob, ann is one of the four, and ties one pair.
    assert found.mixtures is not None
    assert found.mixtures.tied.mean == pytest.approx(0.25, abs=0.1)
    assert [(one.run, one.rank, one.best, one.worst) for one in found.standings] == [
        ("r0", 1, 1, 2), ("r1", 2, 1, 2), ("r2", 3, 3, 3),
    ]  # fmt: skip
    assert found.standings[0].scores == {"bob": pytest.approx(0.45)}


def test_mixtures_are_drawn_by_topic_from_those_who_judged_it() -> None:
    covered = np.array([[True, True, True], [True, True, False], [False, True, False]])
    scores = table(
        {"ann": np.full((3, 1), 0.1), "bob": np.full((3, 1), 0.2), "cyd": np.full((3, 1), 0.4)},
        covered=covered,
    )
    drawn = draw(scores, ["bob", "cyd"], count=500, seed=1)
    assert set(drawn[:, 0]) == {1}
    assert np.bincount(drawn[:, 1], minlength=3)[1:].tolist() == pytest.approx([250, 250], abs=50)
    assert set(drawn[:, 2]) == {-1}
    mixed = mixed_scores(scores, drawn)
    assert mixed.shape == (500, 2, 1)
    assert (mixed[:, 1, 0] == np.where(drawn[:, 1] == 1, 0.2, 0.4)).all()
    assert (draw(scores, ["bob", "cyd"], count=500, seed=1) == drawn).all()
    assert (draw(scores, ["bob", "cyd"], count=500, seed=2) != drawn).any()


def test_rankings_are_compared_on_the_topics_that_both_have() -> None:
    # Bob judged the second topic alone, on which he ranks as ann does there, unlike ann over both.
    ann = [[0.9, 0.1], [0.2, 0.4]]
    covered = np.array([[True, True], [False, True]])
    found = other_judges(
        table({"ann": ann, "bob": [[0.0, 0.0], [0.1, 0.3]]}, covered=covered), ["ann"], RankingOptions("ann")
    )
    (bob,) = found.others
    assert (bob.topics, bob.coefficients["tau_a"], bob.swapped) == (1, 1.0, 0)
    assert found.mixtures is None
    assert [one.rank for one in found.standings] == [1, 2]


def test_a_topic_that_only_the_reference_has_is_in_no_mixture() -> None:
    covered = np.array([[True, True], [True, False], [True, False]])
    qrels = {
        "all": [[0.1, 0.2], [0.9, 0.1]],
        "ann": [[0.1, 0.2], [0.0, 0.0]],
        "bob": [[0.1, 0.2], [0.0, 0.0]],
    }
    found = other_judges(table(qrels, covered=covered), ["ann", "bob"], RankingOptions("all", mixtures=10))
    assert found.topics == 1
    assert found.mixtures is not None
    assert found.mixtures.coefficients["tau_b"].mean == 1.0


def test_significant_differences_that_do_not_stay_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    # So few topics are not tested otherwise.
    monkeypatch.setattr(orders, "FEWEST_TOPICS", 2)
    noise = np.array([0.0, 0.01, -0.01, 0.02])
    base = np.full(4, 0.5)
    ahead = np.stack([base + 0.2 + noise, base], axis=1)
    behind = np.stack([base - 0.2 + noise, base], axis=1)
    unsure = np.stack([base + 10 * noise, base], axis=1)
    qrels = {"ahead": ahead, "behind": behind, "unsure": unsure}
    found = other_judges(table(qrels), ["ahead", "behind"], RankingOptions("ahead", mixtures=200))
    counts = {one.name: (one.significant, one.lost, one.inverted, one.gained) for one in found.others}
    assert counts == {"behind": (1, 0, 1, 0), "unsure": (1, 1, 0, 0)}
    back = other_judges(table(qrels), [], RankingOptions("unsure"))
    assert [(one.significant, one.gained) for one in back.others] == [(0, 1), (0, 1)]
    # Of the 16 mixtures one has four times ahead, one four times behind; in the others the pair is not apart.
    (pair,) = found.pairs
    assert pair.significant
    assert [pair.inverted, pair.lost] == pytest.approx([1 / 16, 14 / 16], abs=0.07)


def test_what_is_asked_wrongly_is_refused() -> None:
    scores = table({"ann": ANN, "bob": BOB})
    with pytest.raises(WorkbenchError, match="cyd"):
        other_judges(scores, ["ann"], RankingOptions("cyd"))
    with pytest.raises(WorkbenchError, match="cyd"):
        other_judges(scores, ["cyd"], RankingOptions("ann"))
    with pytest.raises(WorkbenchError):
        other_judges(table({"ann": [[1.0]]}), ["ann"], RankingOptions("ann"))
    with pytest.raises(WorkbenchError):
        other_judges(scores, ["ann", "bob"], RankingOptions("ann", mixtures=0))
    with pytest.raises(WorkbenchError):
        RankingOptions("ann", persistence=1)


def test_tau_in_words() -> None:
    assert [verdict(tau) for tau in (0.9, 0.89, 0.8, 0.79, None)] == [
        "equivalent", "similar", "similar", "different", "undefined",
    ]  # fmt: skip


def test_single_assessors_of_cystic_fibrosis_rank_nine_runs_with_tau_from_83_to_94() -> None:
    """The figures of the data's catalogue: nine runs, that of random order left out."""
    folder = shared("data", "cf")
    with (folder / "judgments.tsv").open("rb") as stream:
        judgments = read_judgments(stream, source="judgments.tsv")
    runs = []
    for path in sorted((folder / "runs_generated").glob("*.gz")):
        if path.name != "random.gz":
            with path.open("rb") as stream:
                runs.append(read_run_arrays(stream, source=path.name, depth=None))
    qrels = qrels_of_assessors(judgments)
    (measure,) = parse_measures("AP")
    scores = score_under(qrels, runs, measure)
    found = other_judges(scores, scores.qrels, RankingOptions(scores.qrels[0], mixtures=20))
    taus = [one.coefficients["tau_b"] or 0.0 for one in found.between]
    assert len(taus) == 6
    assert (round(min(taus), 2), round(max(taus), 2)) == (0.83, 0.94)
    means = {
        name: dict(zip(scores.runs, scores.values[place].mean(axis=0).tolist(), strict=True))
        for place, name in enumerate(scores.qrels)
    }
    assert taus == pytest.approx([one.tau.value for one in compare_rankings(means)])
    assert [one.coefficients.keys() for one in found.between] == [
        {one.name for one in rank_coefficients()}
    ] * 6
