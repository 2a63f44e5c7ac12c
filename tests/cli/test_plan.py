"""`workbench plan` and `workbench campaign plan`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.builders import pooled_campaign
from tests.cli.executable import run_file
from workbench.cli.campaign import command as campaign_command
from workbench.cli.pool import plan as command
from workbench.errors import InvalidInput, WorkbenchError
from workbench.storage.engine import Database


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    one = run_file(tmp_path, "one", {"2": "d1 d2 d3", "10": "d9"})
    two = run_file(tmp_path, "two", {"2": "d3 d1"})
    return [str(one), str(two)]


def said(*words: str) -> Any:
    result = CliRunner().invoke(command, [*words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_files_are_planned_by_depth(runs: list[str]) -> None:
    # To depth 1: d1 and d3 of topic 2, d9 of topic 10; depth 2 brings d2. At 1,200 s they take an hour.
    assert said(*runs, "--depth=1", "--seconds=1200", "--assessors=2") == {
        "pairs": 3.0,
        "certainty": "exact",
        "hours": 1.0,
        "hours_each": 0.5,
        "topics": {"10": 1.0, "2": 2.0},
    }
    told = CliRunner().invoke(command, [*runs, "--depth=1"]).stdout.splitlines()
    assert told[:3] == ["topic\tpairs\thours", "2\t2\t0.0", "10\t1\t0.0"]
    assert told[3] == "3 pairs, 1 times 30 s: 0.0 hours, 0.0 for each of 1"


@pytest.mark.parametrize("strategy", ["rrf", "take-n", "random", "stratified"])
def test_files_are_planned_by_any_strategy(runs: list[str], strategy: str) -> None:
    assert said(*runs, f"--strategy={strategy}")["topics"] == {"10": 1.0, "2": 3.0}


def test_own_depths_count(runs: list[str]) -> None:
    assert said(*runs, "--depth=3", "--run-depths=one=1", "--topic-depths=2=1")["pairs"] == 3.0


def test_work_that_cannot_be_is_refused(runs: list[str]) -> None:
    result = CliRunner().invoke(command, [*runs, "--per-pair=3", "--assessors=2", "--seconds=0"])
    assert result.exit_code == 2
    assert "3 judgments per pair" in result.stderr
    assert "0 seconds" in result.stderr


@pytest.fixture
def instance(sqlite_database: Database) -> str:
    """The address of a database with the campaign of the builders."""
    with sqlite_database.writing() as db:
        pooled_campaign(db)
    return sqlite_database.url


def in_campaign(instance: str, *words: str) -> Result:
    return CliRunner().invoke(campaign_command, [*words, "--database", instance], catch_exceptions=False)


def test_a_campaign_is_planned_with_its_own_assessors(instance: str) -> None:
    result = in_campaign(instance, "plan", "harbour", "--depth=2", "--per-topic=2", "--seconds=300", "--json")
    told = json.loads(result.stdout)
    # Six pairs twice at five minutes are an hour, of Ada and Ben half an hour each.
    assert (told["pairs"], told["hours"], told["hours_each"], told["assessors"]) == (6.0, 1.0, 0.5, 2)
    # The lists end at rank 4, before the next depth that is told.
    assert (told["seconds_from"], told["by_depth"]) == ("given", {"1": 3})
    assert told["topics"] == {"T1": 3.0, "T2": 3.0}


def test_the_terminal_says_what_is_not_certain(instance: str) -> None:
    told = in_campaign(instance, "plan", "harbour", "--strategy=random", "--supplementary").stdout
    assert "about 3 pairs, 1 times 30 s (assumed" in told
    assert "\tabout " in told


def test_a_plan_is_refused_as_the_pool_would_be(instance: str) -> None:
    with pytest.raises(WorkbenchError, match="no run gamma"):
        in_campaign(instance, "plan", "harbour", "--run=gamma")
    with pytest.raises(InvalidInput):
        in_campaign(instance, "plan", "harbour", "--assessors=0")
