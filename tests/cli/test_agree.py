"""`workbench agree`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, workbench
from workbench.cli.agree import command
from workbench.errors import InvalidInput


@pytest.fixture
def textbook(tmp_path: Path) -> list[str]:
    """Table 8.2 of Manning, Raghavan and Schuetze: 300, 20 / 10, 70; two more pairs judged by one only."""
    rows = [(1, 1)] * 300 + [(1, 0)] * 20 + [(0, 1)] * 10 + [(0, 0)] * 70
    first = {f"d{at}": row[0] for at, row in enumerate(rows)} | {"alone": 1}
    second = {f"d{at}": row[1] for at, row in enumerate(rows)} | {"other": 0}
    return [
        str(qrels_file(tmp_path / "ann.qrels", {"1": first})),
        str(qrels_file(tmp_path / "bea.qrels", {"1": second})),
    ]


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def said(*arguments: str | Path) -> dict[str, Any]:
    result = invoke(*arguments, "--json")
    assert result.exception is None
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def test_json_has_the_table_and_the_working_with_all_digits(textbook: list[str]) -> None:
    done = workbench("agree", *textbook, "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    report = json.loads(done.stdout)
    assert report["relevant_from"] == 1
    assert report["assessors"] == ["ann", "bea"]
    (pair,) = report["pairs"]
    assert pair == {
        "first": "ann",
        "second": "bea",
        "n": 400,
        "first_only": 1,
        "second_only": 1,
        "categories": [1, 0],
        "table": [[300, 20], [10, 70]],
        "observed": 0.925,
        "pooled": {"expected": 0.6653125, "value": pytest.approx(0.7759103641456583, abs=1e-15)},
        "unpooled": {"expected": 0.665, "value": pytest.approx(0.7761194029850746, abs=1e-15)},
        "band": "fair",
    }
    assert report["mean"]["pooled"] == {"value": pair["pooled"]["value"], "pairs": 1, "left_out": 0}


def test_people_get_the_table_the_working_and_the_band(textbook: list[str]) -> None:
    printed = invoke(*textbook).stdout
    for line in (
        "ann and bea: 400 pairs judged by both, 1 by ann only, 1 by bea only",
        "ann: relevant\t300\t20\t320",
        "ann: not relevant\t10\t70\t80",
        "total\t310\t90\t400",
        "Pooled kappa\t0.9250\t0.6653\t0.7759\tfair",
        "Unpooled kappa\t0.9250\t0.6650\t0.7761\t",
        "Shares of ann and bea together: relevant 0.7875, not relevant 0.2125",
        "Shares of ann: relevant 0.8000, not relevant 0.2000",
        "Shares of bea: relevant 0.7750, not relevant 0.2250",
    ):
        assert line in printed.splitlines()
    assert "Mean over" not in printed


def test_more_than_two_assessors_have_a_mean(textbook: list[str], tmp_path: Path) -> None:
    # cyd shares no document with the others, so two of three pairs of assessors are left out.
    third = qrels_file(tmp_path / "cyd.qrels", {"2": {"x": 1}})
    report = said(*textbook, third)
    assert [(pair["first"], pair["second"]) for pair in report["pairs"]] == [
        ("ann", "bea"),
        ("ann", "cyd"),
        ("bea", "cyd"),
    ]
    assert report["mean"]["pooled"] == {
        "value": report["pairs"][0]["pooled"]["value"],
        "pairs": 1,
        "left_out": 2,
        "reasons": {"no pair was judged by both": 2},
    }
    printed = invoke(*textbook, third).stdout
    assert "Mean over the 3 pairs of assessors" in printed
    assert "Pooled kappa\t0.7759\t1\t2: no pair was judged by both" in printed


def test_what_is_undefined_says_why(tmp_path: Path) -> None:
    first = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 1, "b": 1}})
    second = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 1}})
    third = qrels_file(tmp_path / "cyd.qrels", {"1": {"c": 1}})
    same, apart, _ = said(first, second, third)["pairs"]
    reason = "everyone gave the same grade, so agreement by chance is already complete"
    assert (same["observed"], same["band"]) == (1.0, None)
    assert same["pooled"] == same["unpooled"] == {"expected": 1.0, "undefined": reason}
    assert (apart["observed"], apart["n"]) == (None, 0)
    assert apart["pooled"] == apart["unpooled"] == {"undefined": "no pair was judged by both"}
    printed = invoke(first, second, third).stdout
    assert f"undefined: {reason}" in printed
    assert "undefined: no pair was judged by both" in printed
    assert "nan" not in printed.casefold()


def test_relevance_begins_where_it_is_said(tmp_path: Path) -> None:
    first = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 2, "b": 1, "c": 0}})
    second = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 1, "c": 0}})
    assert said(first, second)["pairs"][0]["table"] == [[2, 0], [0, 1]]
    report = said(first, second, "--relevant-from=2")
    assert (report["relevant_from"], report["pairs"][0]["table"]) == (2, [[0, 1], [0, 2]])


def test_all_grades_may_be_compared(tmp_path: Path) -> None:
    first = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 2, "b": 1, "c": 0}})
    second = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 1, "c": 0}})
    report = said(first, second, "--graded")
    assert report["relevant_from"] is None
    assert report["pairs"][0]["categories"] == [2, 1, 0]
    assert report["pairs"][0]["table"] == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert "ann: grade 2\t0\t1\t0\t1" in invoke(first, second, "--graded").stdout


def test_negative_grades_mean_not_judged(tmp_path: Path) -> None:
    first = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 1, "b": -1, "c": -2}})
    second = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 0, "c": -1}})
    result = invoke(first, second, "--json")
    assert json.loads(result.stdout)["pairs"][0]["table"] == [[1, 0], [0, 0]]
    assert result.stderr.splitlines() == [
        f"note: {first}: 2 lines have negative grades, which means not judged; left out",
        f"note: {second}: 1 line has a negative grade, which means not judged; left out",
    ]


def test_assessors_with_one_file_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        qrels_file(tmp_path / folder / "qrels.txt", {"1": {"a": 1}})
    report = said(tmp_path / "x" / "qrels.txt", tmp_path / "y" / "qrels.txt")
    assert report["assessors"] == ["qrels", "qrels-2"]


def test_qrels_may_be_gzip_and_come_from_the_standard_input(textbook: list[str], tmp_path: Path) -> None:
    packed = tmp_path / "ann.txt.gz"
    packed.write_bytes(gzip.compress(Path(textbook[0]).read_bytes()))
    done = workbench("agree", packed, "-", "--json", given=Path(textbook[1]).read_bytes())
    report = json.loads(done.stdout)
    assert report["assessors"] == ["ann", "stdin"]
    assert report["pairs"][0]["table"] == [[300, 20], [10, 70]]


def test_refused_qrels_are_told_all_at_once(textbook: list[str], tmp_path: Path) -> None:
    bad, absent = tmp_path / "bad.qrels", tmp_path / "absent.qrels"
    bad.write_text("1 0 d1 high\n1 0 d2\n")
    result = invoke(textbook[0], bad, absent)
    assert isinstance(result.exception, InvalidInput)
    assert [(finding.source, finding.line) for finding in result.exception.findings] == [
        (str(bad), 1),
        (str(bad), 2),
        (str(absent), None),
    ]
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments", [["one.qrels"], ["a", "b", "--graded", "--relevant-from=2"], ["-", "-"]]
)
def test_a_command_line_that_is_not_understood_has_exit_code_two(arguments: list[str]) -> None:
    assert CliRunner().invoke(command, arguments).exit_code == 2
