"""Adaptive pools from the terminal: simulated on a file of judgments, made in a campaign, replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from tests.builders import DOCNOS
from tests.cli.executable import new_instance, run_file
from tests.workflow.judging.handed_out import live_pool
from workbench.cli.campaign import command as campaign
from workbench.cli.pool import pool
from workbench.learning.stopping import STOPPING_RULES
from workbench.storage.engine import Database
from workbench.storage.tables import PoolEventRow


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two runs and qrels: A has x, y, B has z; y is of grade 2 and x of grade 1."""
    one = run_file(tmp_path, "A", {"1": "x y"})
    two = run_file(tmp_path, "B", {"1": "z"})
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 x 1\n1 0 y 2\n1 0 z -1\n")
    return [str(one), str(two), "--qrels", str(qrels)]


def test_an_adaptive_strategy_is_replayed_on_known_judgments(files: list[str]) -> None:
    done = CliRunner().invoke(pool, [*files, "--strategy=max-mean"])
    assert (done.exit_code, done.stdout) == (0, "1\tx\n1\ty\n1\tz\n")
    assert "3 pairs of 1 topics: 2 judged in" in done.stderr
    assert "2 relevant of 2 there" in done.stderr


def test_the_lowest_relevant_grade_and_what_is_unjudged_can_be_said(files: list[str]) -> None:
    # By hand: x is not relevant now, so A has 1/3 and B 1/2: z comes second, whatever is known of it.
    words = [*files, "--strategy=max-mean", "--relevant-from=2", "--unjudged=not-relevant", "--json"]
    said = json.loads(CliRunner().invoke(pool, words).stdout)
    assert [(one["docno"], one["relevant"], one["found"]) for one in said] == [
        ("x", False, 0),
        ("z", None, 0),
        ("y", True, 1),
    ]


def test_a_grade_that_means_cannot_judge_is_not_replayed(files: list[str]) -> None:
    done = CliRunner().invoke(pool, [*files, "--strategy=max-mean", "--cannot-judge=1"])
    assert "1 judged in" in done.stderr
    assert "1 relevant of 1 there" in done.stderr


def test_the_budget_holds_for_each_topic(files: list[str]) -> None:
    assert CliRunner().invoke(pool, [*files, "--strategy=hedge", "--budget=1"]).stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--strategy=hedge"], "give them with --qrels"),
        (["--strategy=depth", "--qrels=there"], "--qrels is for adaptive strategies only"),
    ],
)
def test_qrels_go_with_adaptive_strategies(words: list[str], said: str, files: list[str]) -> None:
    done = CliRunner().invoke(pool, [*files[:2], *words])
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.fixture
def instance(tmp_path: Path, migrated_sqlite: Path) -> Path:
    """An instance with a campaign, in whose adaptive pool two documents of T1 were judged."""
    folder = new_instance(tmp_path / "instance", migrated_sqlite)
    database = Database(f"sqlite:///{folder / 'workbench.sqlite3'}")
    with database.writing() as db:
        live = live_pool(db)
        for _ in range(2):
            docno = live.next(db, "Ada")
            assert docno in DOCNOS
            live.say(db, "Ada", docno, 1)
    database.close()
    return folder


NAME = "max-mean, depth 100, budget 100"


def test_an_adaptive_pool_is_made_in_a_campaign(instance: Path) -> None:
    words = ["pool", "harbour", "--strategy=thompson", "--budget=2", "--seed=5", f"--instance={instance}"]
    done = CliRunner().invoke(campaign, words)
    assert done.exit_code == 0, done.output
    assert "thompson, depth 100, budget 2, rate 1, seed 5: at most 4 pairs, chosen while people judge" in (
        done.stdout
    )


def test_a_replay_prints_the_events_and_says_that_they_come_out_again(instance: Path) -> None:
    done = CliRunner().invoke(campaign, ["replay", "harbour", NAME, f"--instance={instance}"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "T1\t1\thanded_out\td1\t",
        "T1\t2\tjudged\td1\t1",
        "T1\t3\thanded_out\td2\t",
        "T1\t4\tjudged\td2\t1",
    ]
    assert "4 events reproduced" in done.stderr


def test_a_replay_that_differs_says_where_and_fails(instance: Path) -> None:
    database = Database(f"sqlite:///{instance / 'workbench.sqlite3'}")
    with database.writing() as db:
        db.execute(update(PoolEventRow).where(PoolEventRow.docno == "d2").values(docno="d6"))
    database.close()
    done = CliRunner().invoke(campaign, ["replay", "harbour", NAME, "--json", f"--instance={instance}"])
    assert done.exit_code == 1
    said = json.loads(done.stdout)
    assert said["events"][2]["differs"] == "not d6 but d2 comes next"
    assert "workbench: topic T1, event 3: not d6 but d2 comes next" in done.stderr


def test_a_learners_pool_is_made_ranked_and_replayed(instance: Path) -> None:
    words = ["pool", "harbour", "--strategy=learner", "--budget=2", "--name=read", f"--instance={instance}"]
    done = CliRunner().invoke(campaign, words)
    assert done.exit_code == 0, done.output
    assert "read: at most 4 pairs, chosen while people judge" in done.stdout
    replayed = CliRunner().invoke(campaign, ["replay", "harbour", "read", f"--instance={instance}"])
    assert replayed.exit_code == 0, replayed.output
    # What was judged in the other pool before teaches both rankings, of T1 and T2.
    assert "2 events and 2 rankings reproduced" in replayed.stderr
    words = ["stopping", "harbour", "read", f"--instance={instance}", "--topic=T1", "--further=2", "--json"]
    (topic,) = json.loads(CliRunner().invoke(campaign, words).stdout)["topics"]
    assert (topic["topic"], topic["further"]["documents"]) == ("T1", 2)
    assert [one["rule"] for one in topic["rules"]] == list(STOPPING_RULES)
    said = CliRunner().invoke(campaign, words[:-1])
    assert said.exit_code == 0, said.output
    assert "95 % interval" in said.stdout
    refused = CliRunner().invoke(campaign, ["stopping", "harbour", "live", f"--instance={instance}"])
    assert refused.exit_code == 1
