"""`workbench trust topics`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.trust.collection import topics_command as command
from workbench.errors import WorkbenchError


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Six topics with the relevant document a: `good` has it first, `fair` second, `poor` third."""
    topics = [str(number) for number in range(6)]
    qrels = qrels_file(tmp_path / "qrels.txt", {topic: {"a": 1} for topic in topics})
    orders = {"good": "a b c", "fair": "b a c", "poor": "b c a"}
    return [qrels, *(run_file(tmp_path, tag, dict.fromkeys(topics, order)) for tag, order in orders.items())]


def test_runs_that_never_change_places_agree_on_every_set(files: list[Path]) -> None:
    # RR is 1, 1/2, 1/3 on every topic: 100 splits compare 300 pairs, none of which is swapped.
    done = invoke(*files, "-m", "RR", "--rounds=100", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    *sets, whole = found["by_topics"]
    assert {one["topics"] for one in sets} == {3}
    assert (sets[0]["tau"], sets[0]["swap_rate"], sets[0]["reliability"]) == (1.0, 0.0, 1.0)
    # The nearest two are 1/6 apart: the bin from .16 on.
    assert whole["difference"] == pytest.approx(0.16)
    assert (whole["topics"], whole["pairs"], whole["extrapolated"]) == (6, 3, "yes")


def test_tables_are_for_people_and_for_spreadsheets(files: list[Path]) -> None:
    done = invoke(*files, "-m", "RR", "--rounds=100")
    assert done.stdout.splitlines()[1].split("\t")[2] == "1.000 (1.000 to 1.000)"
    assert "3 of 3 pairs" in done.stderr
    tests = invoke(*files, "-m", "RR", "--rounds=5", "--part=tests", "--csv")
    assert [line.split(",")[0] for line in tests.stdout.splitlines()] == [
        "test",
        "t",
        "t-holm",
        "max-t",
    ]
    bins = invoke(*files, "-m", "RR", "--rounds=5", "--part=bins", "--csv", "--width=0.1")
    assert bins.stdout.splitlines()[0] == "from,below,compared,3,3_low,3_high,6"


@pytest.mark.parametrize("wrong", ["--width=0", "--most-swapped=2"])
def test_wrong_options_are_refused(files: list[Path], wrong: str) -> None:
    done = invoke(*files, wrong)
    assert isinstance(done.exception, WorkbenchError)


def test_one_run_has_nobody_to_be_compared_with(files: list[Path]) -> None:
    done = invoke(*files[:2])
    assert isinstance(done.exception, WorkbenchError)
    assert done.exception.remedy
