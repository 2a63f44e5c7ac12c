"""One run, two runs, all pairs and topics of a small table, by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.consensus.rule_choice import rule_choice
from workbench.errors import WorkbenchError
from workbench.records import Judgment
from workbench.scoring import all_pairs as pairs
from workbench.scoring.all_pairs import METHODS, all_pairs_export
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons
from workbench.scoring.topic_difficulty import topic_table_export
from workbench.scoring.two_runs import TESTS, two_runs_export
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.scores.run_pairs import table_pairs, table_two_runs
from workbench.workflow.scores.run_profile import profile_topics_export, run_profile, sheet_export
from workbench.workflow.scores.score_table import ScoreTable, score_runs
from workbench.workflow.scores.topic_table import table_topics

# Relevant are d1 of T1 and d/4 of T2. RR of alpha 1 and 1, of beta 1/3 and 1, of half 1/2 and 0.
JUDGED = [Judgment("X", "T1", "d1", 1), Judgment("X", "T1", "d2", 0), Judgment("X", "T2", "d/4", 1)]


@pytest.fixture
def campaign(database: Database) -> int:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA, half={"T1": ("d2", "d1"), "T2": ("d9",)})
        import_judgments(db, made.campaign.id, JUDGED, source="f")
    return made.campaign.id


@pytest.fixture
def table(database: Database, campaign: int) -> ScoreTable:
    with database.reading() as db:
        return score_runs(db, campaign, choice=rule_choice(), measures="RR P@1")


def test_the_run_with_the_lowest_value_is_first_where_lower_is_better(
    database: Database, campaign: int
) -> None:
    # E@1 is 0 where the first document is the relevant one, else 1: alpha 0, beta 1/2, half 1.
    with database.reading() as db:
        table = score_runs(db, campaign, choice=rule_choice(), measures="E@1")
        found = [run_profile(db, campaign, table, tag, "E@1").rank for tag in ("alpha", "beta", "half")]
    assert found == [1, 2, 3]


def test_a_run_is_compared_with_the_median_by_topic(
    database: Database, campaign: int, table: ScoreTable
) -> None:
    with database.reading() as db:
        found = run_profile(db, campaign, table, "beta", "RR")
    # Medians 1/2 and 1.
    assert [(line.topic, line.median, line.relevant) for line in found.lines] == [
        ("T1", 0.5, 1),
        ("T2", 1.0, 1),
    ]
    assert [line.difference for line in found.lines] == [pytest.approx(-1 / 6), 0.0]
    assert (found.above, found.below, found.rank) == (0, 1, 2)
    # Of four and two documents one each is relevant, at ranks 3 and 1.
    assert (found.sheet.retrieved, found.sheet.relevant, found.sheet.found) == (6, 2, 2)
    assert found.sheet.average_precision == pytest.approx((1 / 3 + 1) / 2)
    # P@1, the other measure of the table: nothing relevant on top of T1, d/4 on top of T2.
    assert [found.others(topic) for topic in ("T1", "T2")] == [(0.0,), (1.0,)]
    rows = list(profile_topics_export(found).rows())
    assert rows[0] == ("T1", pytest.approx(1 / 3), 0.0, 0.5, pytest.approx(-1 / 6), 1)
    assert [row[2] for row in sheet_export(found).rows()][:4] == [6, 2, 2, pytest.approx((1 / 3 + 1) / 2)]


def test_two_runs_have_a_difference_before_tests(table: ScoreTable) -> None:
    found = table_two_runs(table, "RR", "alpha", "half", seed=7)
    assert found.difference.mean == pytest.approx(3 / 4)
    assert (found.difference.better, found.difference.worse) == (2, 0)
    assert found.topics == (("T2", 1.0, 0.0, 1.0), ("T1", 1.0, 0.5, 0.5))
    assert {test.test for test in found.difference.tests} == TESTS.keys()
    data = json.loads(two_runs_export(found).json())
    assert (data["first"], data["topics"], data["effect"]) == ("alpha", 2, found.difference.effect)
    with pytest.raises(WorkbenchError, match="itself"):
        table_two_runs(table, "RR", "beta", "beta")


def test_every_two_runs_are_tested_and_the_seed_is_kept(table: ScoreTable) -> None:
    found = table_pairs(table, "RR", Comparisons.MAX_T, seed=7)
    assert {(line.first, line.second) for line in found.lines} == {
        ("alpha", "beta"), ("alpha", "half"), ("beta", "half")
    }  # fmt: skip
    assert found.lines[0].difference == pytest.approx(3 / 4)
    # Two topics tell no runs apart.
    assert found.significant == sum(found.wins.values()) == sum(found.losses.values()) == 0
    data = json.loads(all_pairs_export(found).json())
    assert (data["method"], data["seed"], len(data["pairs"])) == ("max-t", 7, 3)
    assert table_pairs(table, "RR", Comparisons.MAX_T, seed=7).lines == found.lines


def test_a_test_that_can_find_nothing_says_so(table: ScoreTable) -> None:
    # Three pairs of two topics: 3 * 2 / 2 ** 6 is .094, and 3 * 2 / 2 ** 7 .047.
    found = table_pairs(table, "RR", Comparisons.WILCOXON_HOLM)
    assert found.finds_nothing.endswith("it needs 7 topics")
    assert json.loads(all_pairs_export(found).json())["finds_nothing"] == found.finds_nothing
    assert table_pairs(table, "RR", Comparisons.T_HOLM).finds_nothing == ""


def test_wins_and_losses_count_significant_differences(
    table: ScoreTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Alpha is not told from beta; both are better than half.
    monkeypatch.setattr(ComparedRuns, "significant", np.array([False, True, True]))
    found = table_pairs(table, "RR", Comparisons.T_HOLM)
    assert found.wins == {"alpha": 1, "beta": 1, "half": 0}
    assert found.losses == {"alpha": 0, "beta": 0, "half": 2}


def test_the_most_certain_difference_comes_first_and_an_undefined_one_last(
    table: ScoreTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The pairs stand as alpha-beta, alpha-half and beta-half, of differences 1/3, 3/4 and 5/12.
    found = table_pairs(table, "RR", Comparisons.T_HOLM)
    ordered = {
        (0.02, 0.02, 0.01): ["beta-half", "alpha-half", "alpha-beta"],
        (np.nan, 0.5, 0.5): ["alpha-half", "beta-half", "alpha-beta"],
    }
    for adjusted, expected in ordered.items():
        changed = replace(found, compared=replace(found.compared, adjusted=np.array(adjusted)))
        assert [f"{one.first}-{one.second}" for one in changed.lines] == expected
        assert changed.first_lines(2) == changed.lines[:2]
        assert [one.p for one in changed.lines] == [
            None if p != p else p for p in sorted(adjusted, key=_last)
        ]


def _last(p: float) -> float:
    return 2.0 if p != p else p


def test_a_slow_test_is_refused_for_many_runs(table: ScoreTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pairs.MOST_RUNS, Comparisons.RANDOMISATION_HOLM, 2)
    with pytest.raises(WorkbenchError, match="3 runs"):
        table_pairs(table, "RR", Comparisons.RANDOMISATION_HOLM)


def test_every_comparison_and_test_has_a_name() -> None:
    assert METHODS.keys() == set(Comparisons)
    assert pairs.MOST_RUNS.keys() < METHODS.keys()


def test_topics_come_by_difficulty_or_disagreement(table: ScoreTable) -> None:
    # RR of T1: 1, 1/3, 1/2; of T2: 1, 1, 0, which has the higher median and deviation.
    assert [one.topic for one in table_topics(table, "RR").lines] == ["T1", "T2"]
    by_disagreement = table_topics(table, "RR", "disagreement")
    assert [one.topic for one in by_disagreement.lines] == ["T2", "T1"]
    assert [row[0] for row in topic_table_export(by_disagreement).rows()] == ["T2", "T1"]
    with pytest.raises(WorkbenchError, match="sorted"):
        table_topics(table, "RR", "luck")
