"""Qrels on the command line: subtopics in the second column, and grades that mean cannot judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.agree import command as agree_command
from workbench.cli.score import score as score_command
from workbench.errors import InvalidInput

DIVERSE = "1 1 a 1\n1 2 a 0\n1 1 b 0\n1 2 b 1\n2 1 a 1\n2 2 a 1\n"


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [
        run_file(tmp_path, "good", {"1": "a c b", "2": "x a"}),
        run_file(tmp_path, "half", {"1": "a x y"}),
    ]


def score(*arguments: str | Path) -> Result:
    return CliRunner().invoke(score_command, [str(argument) for argument in arguments])


def agree(*arguments: str | Path) -> Result:
    return CliRunner().invoke(agree_command, [str(argument) for argument in arguments])


def scored(*arguments: str | Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(score(*arguments, "--json").stdout)
    return rows


def agreed(*arguments: str | Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(agree(*arguments, "--json").stdout)
    return report


def test_diversity_measures_read_subtopics(runs: list[Path], tmp_path: Path) -> None:
    qrels = tmp_path / "diverse.qrels"
    qrels.write_text(DIVERSE)
    measures = ["-m", "alpha_nDCG@20 ERR_IA@20 STREC@20 Judged@1"]
    # `half` has a of topic 1: one subtopic of two, and nothing of topic 2.
    rows = {row["measure"]: row["value"] for row in scored(qrels, runs[1], *measures)}
    assert list(rows) == ["alpha_nDCG@20", "ERR_IA@20", "StRecall@20", "Judged@1"]
    assert (rows["StRecall@20"], rows["Judged@1"]) == (0.25, 0.5)
    table = score(qrels, *runs, *measures, "--format=csv").stdout.splitlines()
    assert table[0] == "run,alpha_nDCG@20,ERR_IA@20,StRecall@20,Judged@1,topics_scored,topics_in_qrels"
    assert [line.split(",")[3] for line in table[1:]] == ["1.0", "0.25"]
    by_topic = score(qrels, runs[1], "-m", "strec@20", "--per-topic", "--format=csv").stdout.splitlines()
    assert by_topic[1:] == ["half,1,0.5,,", "half,2,0.0,,", "half,all,0.25,1,2"]


@pytest.mark.parametrize("form", ["table", "trec_eval", "ir_measures"])
def test_other_measures_refuse_subtopics_in_one_finding(form: str, runs: list[Path], tmp_path: Path) -> None:
    qrels = tmp_path / "diverse.qrels"
    qrels.write_text(DIVERSE)
    refused = score(qrels, runs[0], "-m", "AP", "--format", form).exception
    assert isinstance(refused, InvalidInput)
    assert [(one.source, one.line, one.code) for one in refused.findings] == [(str(qrels), 2, "subtopics")]


def test_a_grade_that_means_cannot_judge_is_no_judgment(runs: list[Path], tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1, "c": -2}, "2": {"a": -2}, "3": {"a": -1}})
    measures = ["-m", "Judged@2 AP"]
    # Of topic 1 `good` has a and c first. Topic 2 has nothing left, topic 3 a line that is not judged.
    rows = {row["measure"]: row for row in scored(qrels, runs[0], *measures, "--cannot-judge=-2")}
    assert rows["Judged@2"]["value"] == 0.25
    assert rows["AP"]["topics_in_qrels"] == 2
    # Without the code c of topic 1 and a of topic 2, of two documents each, are in the qrels.
    assert scored(qrels, runs[0], *measures)[0]["value"] == pytest.approx((1 + 0.5) / 3)
    notes = score(qrels, runs[0], "--cannot-judge=-2").stderr.splitlines()
    assert [note.partition(": ")[0] for note in notes] == ["note"] * 3
    assert "2 lines" in notes[0]
    assert notes[1].endswith(": 2 (1 in all)")
    assert notes[2].endswith(": 3 (1 in all)")
    lines = score(qrels, runs[0], "-m", "num_rel", "--format=trec_eval", "--cannot-judge", "1").stdout
    assert lines.split() == ["num_rel", "all", "0"]


def test_qrels_of_which_every_grade_means_cannot_judge_are_refused(runs: list[Path], tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": -2, "c": -3}})
    refused = score(qrels, runs[0], "--cannot-judge=-2", "--cannot-judge=-3").exception
    assert isinstance(refused, InvalidInput)
    assert [finding.code for finding in refused.findings] == ["empty"]


def test_a_grade_of_qrels_that_means_cannot_judge_is_that_answer(tmp_path: Path) -> None:
    one = qrels_file(tmp_path / "one.qrels", {"1": {"a": 1, "b": -2, "c": -1, "d": 9}})
    two = qrels_file(tmp_path / "two.qrels", {"1": {"a": 1, "b": 0, "c": 0, "d": 0}})
    codes = ("--cannot-judge=-2", "--cannot-judge=9")
    report = agreed(one, two, *codes)
    assert report["pairs"][0]["table"] == [[1, 0], [0, 0]]
    assert report["entered"]["left_out"]["cannot_judge"] == 2
    # Of the negative grades only -1 is left to be noted.
    assert agree(one, two, *codes).stderr.count("1 line has a negative grade") == 1


def test_qrels_with_subtopics_are_not_compared(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("1 1 a 1\n1 2 a 0\n")
    refused = agree(tmp_path / "one", tmp_path / "two").exception
    assert isinstance(refused, InvalidInput)
    assert [finding.code for finding in refused.findings] == ["subtopics"] * 2
