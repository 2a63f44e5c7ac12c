"""Left-out documents: the scores and ranks of runs with and without them, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.scoring.some_qrels import ranked
from tests.support import Oracle
from workbench.errors import WorkbenchError
from workbench.pooling.pool import Pair
from workbench.records import Run
from workbench.scoring.measures import parse_measures
from workbench.trust.alternatives import AlternativeQrels, score_under
from workbench.trust.left_out import DRAWS, ScoresLeftOut, left_out_export, scores_left_out, without_pairs

stats = Oracle("scipy.stats")

# Topic 1: d1 and s1 are relevant, n1 is not; topic 2: d2. Left out are s1 and n1.
GRADES = {("1", "d1"): 1, ("1", "s1"): 1, ("1", "n1"): 0, ("2", "d2"): 1}
LEFT_OUT = {("1", "s1"), ("1", "n1"), ("1", "never judged")}
RANKED = {
    "a": {"1": ["s1", "d1"], "2": ["d2"]},
    "b": {"1": ["d1"], "2": ["d2"]},
    "c": {"1": ["x"], "2": ["x"]},
}


def run_of(tag: str) -> Run:
    rankings = {topic: ranked(docnos).rankings["1"] for topic, docnos in RANKED[tag].items()}
    return Run(tag, rankings)


def test_scores_ranks_and_correlations_by_hand() -> None:
    sides, out = without_pairs(AlternativeQrels("qrels", GRADES), LEFT_OUT, "found", 1, seed=4)
    assert (out.pairs, out.relevant, out.topics, out.graded, out.all_relevant) == (2, 1, 1, 4, 3)
    (measure,) = parse_measures("AP")
    found = scores_left_out(score_under(sides, map(run_of, RANKED), measure), out, seed=4)
    # AP of a on topic 1: 1 with s1, else 1/2 (d1 is second); of b 1/2, else 1; on topic 2 both have 1.
    lines = [(one.run, one.score, one.without, one.rank, one.rank_without) for one in found.runs]
    assert lines == [("a", 1.0, 0.75, 1, 2), ("b", 0.75, 1.0, 2, 1), ("c", 0.0, 0.0, 3, 3)]
    assert [(one.change, one.ranks_risen) for one in found.runs] == [(0.25, 1), (-0.25, -1), (0.0, 0)]
    # Of three pairs of runs one changes places: (2 - 1) / 3. Of the two runs below the top of either ranking
    # one has nobody above it whom both put there, the other all: 2 (0 + 1) / 2 - 1.
    assert (found.swapped, found.run_pairs) == (1, 3)
    assert found.tau_b.value == pytest.approx(1 / 3)
    assert found.tau_ap.value == pytest.approx(0.0)
    # By chance one of the three of topic 1 is left: d1, of which tau b is the same 1/3; s1, which keeps the
    # order, 1; or n1, without which nothing is relevant there, so that a and b are tied: 2 / sqrt(2 * 3).
    assert (found.tau_b.low, found.tau_b.high) == pytest.approx((1 / 3, 1.0))
    assert found.tau_b.chance == pytest.approx((2 / 3) ** 0.5)
    assert (found.draws, found.seed) == (DRAWS, 4)


def test_chance_leaves_out_as_many_documents_of_each_topic() -> None:
    grades = {(topic, f"d{number}"): number % 2 for topic in "123" for number in range(10)}
    pairs = {("1", "d0"), ("1", "d3"), ("1", "d4"), ("3", "d9")}
    (whole, rest, *drawn), _ = without_pairs(AlternativeQrels("qrels", grades), pairs, "found", 1)
    assert whole.grades == grades
    assert set(rest.grades) == grades.keys() - pairs
    assert len(drawn) == DRAWS
    gone = [grades.keys() - one.grades.keys() for one in drawn]
    assert {tuple(sum(topic == one for topic, _ in left) for one in "123") for left in gone} == {(3, 0, 1)}
    # Each document of topic 3 is drawn once in ten times, so that few of fifty draws are alike.
    assert len({docno for left in gone for topic, docno in left if topic == "3"}) >= 8
    again, other = (
        [
            one.grades.keys()
            for one in without_pairs(AlternativeQrels("qrels", grades), pairs, "found", 1, seed=seed)[0][2:]
        ]
        for seed in (0, 1)
    )
    assert again == [one.grades.keys() for one in drawn]
    assert other != again


def collection(topics: int, runs: int, *, seed: int) -> tuple[dict[Pair, int], list[Run]]:
    """Twenty judged documents a topic, six of them relevant, that runs rank with noise of their own."""
    random = np.random.default_rng(seed)
    grades = {(str(topic), f"d{at:02}"): int(at < 6) for topic in range(topics) for at in range(20)}
    ranked_by: list[Run] = []
    for number in range(runs):
        rankings = {}
        for topic in range(topics):
            scores = random.normal(0, 1 + 0.1 * number, 20) + (np.arange(20) < 6)
            docnos = [f"d{at:02}" for at in np.argsort(-scores)]
            rankings[str(topic)] = ranked(docnos).rankings["1"]
        ranked_by.append(Run(f"r{number}", rankings))
    return grades, ranked_by


def left_out_of(grades: dict[Pair, int], runs: list[Run], pairs: set[Pair]) -> ScoresLeftOut:
    (measure,) = parse_measures("AP")
    sides, out = without_pairs(AlternativeQrels("qrels", grades), pairs, "found", 1)
    return scores_left_out(score_under(sides, runs, measure), out)


def test_documents_left_out_at_random_change_the_ranking_as_chance_does() -> None:
    # 40 draws of five documents of each of eight topics: 95 of 100 lie within, and as few as 33 of 40 have a
    # chance of .003 (binomial; ties of a coarse tau make it less).
    grades, runs = collection(8, 6, seed=1)
    random = np.random.default_rng(9)
    within = []
    for _ in range(40):
        pairs = {
            (str(topic), f"d{at:02}") for topic in range(8) for at in random.choice(20, 5, replace=False)
        }
        tau = left_out_of(grades, runs, pairs).tau_b
        assert tau.value is not None
        assert tau.low is not None
        assert tau.high is not None
        within.append(tau.low <= tau.value <= tau.high)
    assert sum(within) >= 34


def test_what_only_one_run_found_changes_the_ranking_more_than_chance() -> None:
    # The last run alone has four more relevant documents of each topic, at its top: without them it loses a
    # lot, while of as many at random most are others.
    grades, runs = collection(8, 6, seed=1)
    own = {(str(topic), f"own{at}") for topic in range(8) for at in range(4)}
    best = Run(
        "best",
        {
            topic: ranked([f"own{at}" for at in range(4)] + list(found.docnos)).rankings["1"]
            for topic, found in runs[-1].rankings.items()
        },
    )
    found = left_out_of(grades | dict.fromkeys(own, 1), [*runs, best], own)
    assert found.tau_b.value is not None
    assert found.tau_b.low is not None
    assert found.tau_b.value < found.tau_b.low
    assert found.tau_b.in_words == "the ranking changes more than by leaving out as many documents at random"
    (line,) = [one for one in found.runs if one.run == "best"]
    assert (line.rank, line.rank_without > 1) == (1, True)
    # It loses on every topic, hence on others too.
    assert line.interval.low is not None
    assert 0 < line.interval.low < line.change


def test_the_interval_of_a_change_is_that_of_a_mean_over_topics() -> None:
    # The jackknife of a mean is the mean itself with s / sqrt(n). Student's t has fewer than n - 1 degrees of
    # freedom, since topics that change much decide, but at least one.
    grades, runs = collection(12, 3, seed=2)
    pairs = {(str(topic), f"d{at:02}") for topic in range(12) for at in (0, 1, 2, 7)}
    (measure,) = parse_measures("AP")
    sides, out = without_pairs(AlternativeQrels("qrels", grades), pairs, "found", 1)
    scores = score_under(sides, runs, measure)
    found = scores_left_out(scores, out)
    assert any(one.interval.low is not None for one in found.runs)
    for line in found.runs:
        low, high = line.interval.low, line.interval.high
        if low is None or high is None:
            continue
        place = scores.runs.index(line.run)
        error = stats.sem(scores.values[0, :, place] - scores.values[1, :, place])
        assert (low + high) / 2 == pytest.approx(line.change)
        assert stats.t.ppf(0.975, 11) * error < (high - low) / 2 < stats.t.ppf(0.975, 1) * error


def test_few_topics_have_no_interval_and_say_why() -> None:
    sides, out = without_pairs(AlternativeQrels("qrels", GRADES), LEFT_OUT, "found", 1)
    (measure,) = parse_measures("AP")
    found = scores_left_out(score_under(sides, map(run_of, "ab"), measure), out)
    assert {(one.interval.low, one.interval.high) for one in found.runs} == {(None, None)}
    assert all("5 topics" in one.interval.undefined for one in found.runs)


def test_rankings_that_tie_everything_have_no_coefficient() -> None:
    sides, out = without_pairs(AlternativeQrels("qrels", GRADES), LEFT_OUT, "found", 1)
    (measure,) = parse_measures("AP")
    alike = [Run(tag, run_of("c").rankings) for tag in ("c", "d")]
    found = scores_left_out(score_under(sides, alike, measure), out)
    assert (found.tau_b.value, found.tau_b.low, found.tau_b.in_words) == (None, None, "")


def test_the_export_has_every_run_and_the_seed() -> None:
    sides, out = without_pairs(AlternativeQrels("qrels", GRADES), LEFT_OUT, "found", 1)
    (measure,) = parse_measures("AP")
    export = left_out_export(scores_left_out(score_under(sides, map(run_of, "ab"), measure), out))
    rows = [dict(zip(export.columns, row, strict=True)) for row in export.rows()]
    assert [(row["run"], row["change"], row["ranks_risen"]) for row in rows] == [
        ("a", 0.25, 1),
        ("b", -0.25, -1),
    ]
    data = export.data()
    assert isinstance(data, dict)
    assert (data["seed"], data["draws"], data["left_out"]["pairs"]) == (0, DRAWS, 2)
    assert data["tau_b"].keys() == {"value", "chance", "low", "high"}


@pytest.mark.parametrize("pairs", [{("1", "never judged")}, set(GRADES)])
def test_nothing_left_out_and_nothing_left_are_refused(pairs: set[tuple[str, str]]) -> None:
    with pytest.raises(WorkbenchError):
        without_pairs(AlternativeQrels("qrels", GRADES), pairs, "found", 1)


def test_a_ranking_takes_two_runs() -> None:
    sides, out = without_pairs(AlternativeQrels("qrels", GRADES), LEFT_OUT, "found", 1)
    (measure,) = parse_measures("AP")
    with pytest.raises(WorkbenchError):
        scores_left_out(score_under(sides, [run_of("a")], measure), out)
