"""One run, two runs, all pairs and topics of a small table, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.records import Judgment
from workbench.scoring import two_runs as pairs
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons
from workbench.scoring.two_runs import METHODS
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.scores.leaderboard import table_pairs
from workbench.workflow.scores.score_table import ScoreTable, score_runs

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
