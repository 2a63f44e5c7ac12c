"""Runs shared by two processes give what one gives: results in order, all findings, errors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.cli.executable import qrels_file, run_file, workbench
from workbench.cli import qrels_files
from workbench.cli.qrels_files import map_runs
from workbench.cli.runs import RunFiles
from workbench.errors import InvalidInput, WorkbenchError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is large, and there are two processors."""
    monkeypatch.setattr(qrels_files, "LARGE", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [run_file(tmp_path, f"run{number}", {"1": f"a d{number}", "2": "b"}) for number in range(5)]


def files(runs: list[Path]) -> RunFiles:
    return RunFiles(tuple(map(str, runs)))


def test_results_come_in_the_order_of_the_files_from_other_processes(two: None, runs: list[Path]) -> None:
    found = map_runs(files(runs), lambda run: (run.tag, os.getpid()))
    assert [tag for tag, _ in found] == [f"run{number}" for number in range(5)]
    assert os.getpid() not in {process for _, process in found}


def test_small_files_are_read_here(runs: list[Path]) -> None:
    assert map_runs(files(runs), lambda run: os.getpid()) == [os.getpid()] * 5


def test_all_findings_of_all_files_are_reported(two: None, runs: list[Path], tmp_path: Path) -> None:
    runs[1].write_text("1 Q0 a\n")
    runs[3].write_text("1 Q0 a 1 x r\n")
    with pytest.raises(InvalidInput) as refused:
        map_runs(files(runs), lambda run: run.tag)
    assert [finding.source for finding in refused.value.findings] == [str(runs[1]), str(runs[3])]


def test_an_error_of_the_work_arrives_whole(two: None, runs: list[Path]) -> None:
    def fail(run: object) -> None:
        raise WorkbenchError("it cannot be computed", remedy="try another")

    with pytest.raises(WorkbenchError, match="it cannot be computed") as failed:
        map_runs(files(runs), fail)
    assert failed.value.remedy == "try another"


def test_a_process_that_is_killed_is_an_error(two: None, runs: list[Path]) -> None:
    with pytest.raises(WorkbenchError, match="was killed"):
        map_runs(files(runs), lambda run: os.kill(os.getpid(), 9))


def test_scores_are_the_same(
    two: None, runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels = qrels_file(tmp_path / "qrels", {"1": {"a": 1, "d2": 1, "c": 0}, "2": {"b": 1}})
    shared = workbench("score", qrels, *runs, "--per-topic")
    monkeypatch.setattr(qrels_files, "LARGE", 2**40)
    assert shared.stdout == workbench("score", qrels, *runs, "--per-topic").stdout
    assert (shared.returncode, shared.stdout.count(b"run")) == (0, 5 * 3 + 1)
