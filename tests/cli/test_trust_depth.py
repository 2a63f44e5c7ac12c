"""`workbench trust depth`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.trust.collection import depth_command as command
from workbench.errors import WorkbenchError


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two topics to rank 4: at ranks 1 and 2 topic 1 has a relevant document each, topic 2 one at rank 1."""
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1, "b": 1}, "2": {"e": 1, "f": 0}})
    return [qrels, run_file(tmp_path, "A", {"1": "a b c d", "2": "e f g"})]


def test_topics_come_by_what_a_judgment_is_expected_to_find(files: list[Path]) -> None:
    # 2 relevant at rank 1 and 1 at rank 2: 2 / d. Topic 1, which has two of the three, has 2/3 of the
    # 2/3 + 1/2 at ranks 3 and 4, 7/9 by two judgments. Runs end at rank 3 of topic 2, which has a third of
    # 2/3 there, 2/9 by one.
    done = invoke(*files, "--depth=2", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["expected"] == pytest.approx(1)
    assert found["question"]["deeper"] == 4
    assert [(one["topic"], one["judgments"], one["expected"]) for one in found["topics"]] == [
        ("1", 2, pytest.approx(7 / 9)),
        ("2", 1, pytest.approx(2 / 9)),
    ]


def test_tables_are_for_people_and_for_spreadsheets(files: list[Path]) -> None:
    done = invoke(*files, "--depth=2")
    assert done.stdout.splitlines()[1].split("\t")[:5] == ["1", "2", "2", "2", "0.778"]
    assert "3 relevant of 4 judged" in done.stderr
    bands = invoke(*files, "--depth=2", "--part=bands", "--csv")
    assert [line.split(",")[:5] for line in bands.stdout.splitlines()] == [
        ["from", "to", "pooled", "judged", "relevant"],
        ["1", "1", "2", "2", "2"],
        ["2", "2", "2", "2", "1"],
        ["3", "3", "2", "0", "0"],
        ["4", "4", "1", "0", "0"],
    ]
    assert bands.stderr == ""


def test_notes_say_what_speaks_against_the_estimate(files: list[Path], tmp_path: Path) -> None:
    sparse = qrels_file(tmp_path / "sparse.txt", {"1": {"a": 1, "b": 1}, "2": {"e": 0, "f": 1}})
    done = invoke(sparse, files[1], "--depth=3", "--deeper=9")
    assert "2 of 6 documents within depth 3 are not judged" in done.stderr
    assert "beyond rank 4 no run" in done.stderr


def test_depths_that_do_not_fit_are_refused(files: list[Path]) -> None:
    done = invoke(*files, "--depth=10", "--deeper=5")
    assert isinstance(done.exception, WorkbenchError)
    assert done.exception.remedy


def test_where_runs_end_nothing_more_is_expected(tmp_path: Path) -> None:
    """Both runs end at rank 2 and all is judged: a deeper pool is the same pool."""
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1, "b": 1}, "2": {"e": 1, "f": 0}})
    run = run_file(tmp_path, "A", {"1": "a b", "2": "e f"})
    found = json.loads(invoke(qrels, run, "--depth=2", "--json").stdout)
    assert (found["expected"], found["share_found"], found["share_interval"]) == (0, 1, [1, 1])
    assert [one["advice"] for one in found["topics"]] == ["nothing left to judge"] * 2
    assert [(one["depth"], one["fitted"]) for one in found["curve"]][-1] == (4, 3)
    said = invoke(qrels, run, "--depth=2").stderr
    assert "the pool of depth 2 has 100 % of the relevant documents of that of depth 4" in said
    assert "nothing is left to judge to depth 4" in said


def test_the_total_is_that_of_the_topics(tmp_path: Path) -> None:
    """Of 7/6 beyond depth 2 topic 1 has two thirds, 7/9; topic 2 ends there and has none."""
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1, "b": 1}, "2": {"e": 1, "f": 0}})
    run = run_file(tmp_path, "A", {"1": "a b c d", "2": "e f"})
    found = json.loads(invoke(qrels, run, "--depth=2", "--json").stdout)
    assert found["expected"] == pytest.approx(7 / 9)
    assert found["expected"] == pytest.approx(sum(one["expected"] for one in found["topics"]))
