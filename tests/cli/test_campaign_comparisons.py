"""`workbench campaign scores`: the pages of Scores at the terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.cli.main import workbench
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments

# Relevant from 2: T1 has d1, and T2 d2. RR of alpha is 1 on T1 and 0 on T2, where it has no d2; of beta,
# whose T1 is d2 d/4 d1 and whose T2 is d/4 d2, 1/3 and 1/2; of low 0 on both.
JUDGED = [Judgment("X", "T1", "d1", 2), Judgment("X", "T1", "d2", 1), Judgment("X", "T2", "d2", 2)]


@pytest.fixture
def campaign(sqlite_database: Database) -> Database:
    with sqlite_database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES).campaign.id
        send_runs(db, made, alpha=ALPHA, beta=BETA, low={"T1": ("d6",), "T2": ("d6",)})
        import_judgments(db, made, JUDGED, source="f")
    return sqlite_database


def invoke(database: Database, command: str, *words: str) -> Result:
    address = ("--database", database.url)
    return CliRunner().invoke(workbench, ["campaign", "scores", command, "harbour", *words, *address])


def in_json(database: Database, command: str, *words: str) -> Any:
    done = invoke(database, command, *words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_two_runs_are_compared_by_topic(campaign: Database) -> None:
    found = in_json(campaign, "compare", "alpha", "beta", "-m", "RR(rel=2)", "--seed=3")
    # 1 - 1/3 and 0 - 1/2.
    assert (found["first"], found["second"], found["topics"]) == ("alpha", "beta", 2)
    assert found["difference"] == pytest.approx((2 / 3 - 1 / 2) / 2)
    assert {test["undefined"] for test in found["tests"]} == {"fewer than 5 topics"}
    done = invoke(campaign, "compare", "alpha", "beta", "-m", "RR(rel=2)")
    assert done.stdout.splitlines()[0] == "topic\talpha\tbeta\tdifference"
    assert "RR(rel=2)" in done.stderr
    assert "Majority" in invoke(campaign, "compare", "beta", "alpha", "--latex").stdout


def test_every_two_runs_are_compared_by_the_threshold_of_the_scale(campaign: Database) -> None:
    found = in_json(campaign, "pairs", "--method=t-holm")
    assert (found["measure"], found["method"]) == ("AP(rel=2)", "t-holm")
    assert len(found["pairs"]) == 3
    some = in_json(campaign, "pairs", "--run=beta", "--run=low", "-m", "RR(rel=2)")
    (pair,) = some["pairs"]
    # (1/3 + 1/2) / 2 against 0.
    assert (pair["first"], pair["difference"]) == ("beta", pytest.approx(5 / 12))
    assert "no test of fewer than 5 topics" in invoke(campaign, "pairs").stderr


def test_topics_come_by_difficulty_or_disagreement(campaign: Database) -> None:
    # RR on T1: 1, 1/3, 0; on T2: 0, 1/2, 0.
    easiest_last = in_json(campaign, "topics", "-m", "RR(rel=2)")
    assert [(one["topic"], one["relevant"]) for one in easiest_last] == [("T2", 1), ("T1", 1)]
    lenient = in_json(campaign, "topics", "-m", "RR(rel=1)")
    assert {one["topic"]: one["relevant"] for one in lenient} == {"T1": 2, "T2": 1}
    by_gain = in_json(campaign, "topics", "-m", "nDCG@10")
    assert {one["topic"]: one["relevant"] for one in by_gain} == {"T1": 1, "T2": 1}
    done = invoke(campaign, "topics", "-m", "RR(rel=2)", "--order=disagreement", "--csv")
    assert [line.split(",")[0] for line in done.stdout.splitlines()[1:]] == ["T1", "T2"]


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "alpha", "alpha"),
        ("compare", "alpha", "gamma"),
        ("pairs", "-m", "AP P@10"),
        ("topics", "--run=gamma"),
    ],
)
def test_what_cannot_be_compared_is_refused(campaign: Database, words: tuple[str, ...]) -> None:
    assert isinstance(invoke(campaign, *words).exception, WorkbenchError)
