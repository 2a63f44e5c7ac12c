"""`workbench agree`."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, workbench
from tests.support import shared
from workbench.cli.agree import command
from workbench.errors import InvalidInput, WorkbenchError

FEW = "--rounds=20"


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
    return CliRunner().invoke(command, [FEW, *(str(argument) for argument in arguments)])


def said(*arguments: str | Path) -> dict[str, Any]:
    result = invoke(*arguments, "--json")
    assert result.exception is None
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def judgments_file(path: Path, rows: list[tuple[str, str, str, int]]) -> Path:
    lines = ["topic\tdoc\tassessor\tgrade", *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_json_has_the_table_and_every_coefficient_with_all_digits(textbook: list[str]) -> None:
    done = workbench("agree", *textbook, "--json", "--seed", "4", "--rounds", "20")
    assert (done.returncode, done.stderr) == (0, b"")
    report = json.loads(done.stdout)
    assert report["entered"]["relevant_from"] == 1
    assert report["entered"]["assessors"] == [
        {"name": "ann", "machine": False}, {"name": "bea", "machine": False},
    ]  # fmt: skip
    (pair,) = report["pairs"]
    assert (pair["first"], pair["second"], pair["n"]) == ("ann", "bea", 400)
    assert (pair["first_only"], pair["second_only"]) == (1, 1)
    assert (pair["categories"], pair["table"]) == ([1, 0], [[300, 20], [10, 70]])
    found = report["coefficients"]
    assert found["observed"]["value"] == pytest.approx(0.925, abs=1e-15)
    assert found["pooled"]["expected"] == pytest.approx(0.6653125, abs=1e-15)
    assert found["pooled"]["value"] == pytest.approx(0.7759103641456583, abs=1e-12)
    assert found["unpooled"]["value"] == pytest.approx(0.7761194029850746, abs=1e-12)
    assert found["pooled"]["band_landis_koch"] == "substantial"
    assert report["how"]["seed"] == 4
    assert report["prevalence_index"] == pytest.approx(0.575)


def test_people_get_the_table_the_working_and_the_band(textbook: list[str]) -> None:
    printed = invoke(*textbook).stdout
    for line in (
        "400 pairs of topic and document that both judged; what only one judged does not enter.",
        "ann and bea: 400 pairs judged by both, 1 by ann only, 1 by bea only",
        "ann: relevant\t300\t20\t320",
        "ann: not relevant\t10\t70\t80",
        "total\t310\t90\t400",
        "Share of “relevant”\t(320 + 310) / 800\t0.7875",
        "Kappa\t(0.9250 − 0.6653) / (1 − 0.6653)\t0.7759",
        "AC\t(0.9250 − 0.3347) / (1 − 0.3347)\t0.8873",
        "bea against ann: precision 0.9677, recall 0.9375; the other way round they change places.",
    ):
        assert line in printed.splitlines()
    assert "Pooled kappa\t0.9250\t0.6653\t0.7759\t" in printed
    assert "20 resamples of topics, seed 0." in printed
    assert "Every two" not in printed


def test_more_than_two_assessors_have_means(textbook: list[str], tmp_path: Path) -> None:
    # cyd shares no document with the others, so two of three pairs of assessors are left out.
    third = qrels_file(tmp_path / "cyd.qrels", {"2": {"x": 1}})
    report = said(*textbook, third)
    assert [(pair["first"], pair["second"]) for pair in report["pairs"]] == [
        ("ann", "bea"),
        ("ann", "cyd"),
        ("bea", "cyd"),
    ]
    mean = report["means_over_pairs"]["pooled"]
    assert mean["value"] == pytest.approx(report["pairs"][0]["coefficients"]["pooled"]["value"])
    assert (mean["pairs"], mean["left_out"]) == (1, 2)
    assert report["pairs"][1]["coefficients"]["pooled"]["undefined"] == "no pair was judged by both"
    printed = invoke(*textbook, third).stdout
    assert "Average pairwise pooled kappa\t0.7759\t" in printed
    assert "ann and cyd\t0\tundefined" in printed


def test_what_is_undefined_says_why_and_what_would_define_it(tmp_path: Path) -> None:
    first = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 1, "b": 1}})
    second = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 1}})
    found = said(first, second)["coefficients"]
    reason = "everyone gave the same grade, so agreement by chance is already complete"
    assert found["observed"]["value"] == 1.0
    for name in ("pooled", "unpooled", "alpha"):
        assert found[name]["undefined"] == reason
        assert "value" not in found[name]
        assert found[name]["would_define"].startswith("pairs on which at least one gives another grade")
    printed = invoke(first, second).stdout
    assert f"undefined: {reason}" in printed
    assert "nan" not in printed.casefold()


def test_relevance_begins_where_it_is_said(tmp_path: Path) -> None:
    first = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 2, "b": 1, "c": 0}})
    second = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 1, "c": 0}})
    assert said(first, second)["pairs"][0]["table"] == [[2, 0], [0, 1]]
    report = said(first, second, "--relevant-from=2")
    assert (report["entered"]["relevant_from"], report["pairs"][0]["table"]) == (2, [[0, 1], [0, 2]])


def test_all_grades_may_be_compared_with_weights_over_the_declared_scale(tmp_path: Path) -> None:
    first = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 2, "b": 1, "c": 0}})
    second = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 1, "c": 0}})
    report = said(first, second, "--graded")
    assert report["pairs"][0]["categories"] == [2, 1, 0]
    assert report["pairs"][0]["table"] == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert "ann: grade 2\t0\t1\t0\t1" in invoke(first, second, "--graded").stdout
    # One of three pairs is one step apart: 1/2 of the scale 0 to 2, 1/4 of the scale 0 to 4.
    weighted = [
        said(first, second, "--graded", "--weights=linear", *scale)["coefficients"]["observed"]["value"]
        for scale in ([], ["--scale=0 1 2 3 4"])
    ]
    assert weighted == pytest.approx([1 - 0.5 / 3, 1 - 0.25 / 3])
    own = tmp_path / "weights.txt"
    own.write_text("0 1 2\n1 0 1\n2 1 0\n")
    assert said(first, second, "--graded", f"--weights={own}")["coefficients"]["observed"]["value"] == (
        pytest.approx(1 - 0.5 / 3)
    )


def test_negative_grades_mean_not_judged(tmp_path: Path) -> None:
    first = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 1, "b": -1, "c": -2}})
    second = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 0, "c": -1}})
    result = invoke(first, second, "--json")
    assert json.loads(result.stdout)["pairs"][0]["table"] == [[1, 0], [0, 0]]
    assert result.stderr.splitlines() == [
        f"note: {first}: 2 lines have negative grades, which means not judged; left out",
        f"note: {second}: 1 line has a negative grade, which means not judged; left out",
    ]


def test_csv_latex_and_the_matrix_come_too(textbook: list[str]) -> None:
    rows = list(csv.DictReader(invoke(*textbook, "--csv").stdout.splitlines()))
    assert {row["of"] for row in rows} == {"all", "mean over pairs", "pair", "overlap", "grade", "assessor"}
    # 300 relevant to both of 330 relevant to either; of one topic there is no interval.
    (together,) = (row for row in rows if row["coefficient"] == "overlap_topics_together")
    assert float(together["value"]) == pytest.approx(300 / 330)
    assert together["low"] == ""
    assert "ann, bea\t0.9091\tan interval needs two topics or more\t0.9091" in invoke(*textbook).stdout
    assert "Pooled kappa & 0.776 &" in invoke(*textbook, "--latex").stdout
    matrix = list(csv.reader(invoke(*textbook, "--matrix=observed", "--csv").stdout.splitlines()))
    assert matrix == [["assessor", "ann", "bea"], ["ann", "", "0.925"], ["bea", "0.925", ""]]
    assert "ann\t\t0.9250" in invoke(*textbook, "--matrix=observed").stdout
    data = json.loads(invoke(*textbook, "--matrix=observed", "--json").stdout)
    assert data["order"] == ["ann", "bea"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--json", "--csv"], "choose one of"),
        (["--latex", "--matrix=pooled"], "not as --latex"),
        (["--graded", "--relevant-from=1"], "--relevant-from has no use"),
        (["--documents=5"], "matters with --basis"),
        (["--repeats=first"], "go with --judgments"),
    ],
)
def test_options_that_exclude_one_another_are_refused(
    textbook: list[str], wrong: list[str], message: str
) -> None:
    result = invoke(*textbook, *wrong)
    assert result.exit_code == 2
    assert message in result.output


def test_weights_and_scales_that_cannot_be_are_refused(textbook: list[str], tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="neither the name of weights nor a file"):
        CliRunner().invoke(command, [*textbook, "--weights=cubic"], catch_exceptions=False)
    broken = tmp_path / "w.txt"
    broken.write_text("0 1\n1 x\n")
    with pytest.raises(WorkbenchError, match=r"w\.txt:2"):
        CliRunner().invoke(command, [*textbook, f"--weights={broken}"], catch_exceptions=False)
    with pytest.raises(WorkbenchError, match="is no scale"):
        CliRunner().invoke(command, [*textbook, "--scale=0"], catch_exceptions=False)


def test_a_judgments_file_holds_many_assessors_and_machines_stay_apart(tmp_path: Path) -> None:
    rows = [("1", f"d{at}", who, at % 2) for at in range(4) for who in ("ann", "bea", "robot")]
    table = judgments_file(tmp_path / "all.tsv", rows)
    report = said("--judgments", table, "--machine=robot")
    assert [one["name"] for one in report["entered"]["assessors"]] == ["ann", "bea"]
    among = said("--judgments", table, "--machine=robot", "--machines=among")
    assert [pair["machine"] for pair in among["pairs"]] == [False, True, True]
    with pytest.raises(WorkbenchError, match="nobody is no assessor of these files"):
        CliRunner().invoke(command, ["--judgments", str(table), "--machine=nobody"], catch_exceptions=False)


def test_of_an_assessor_who_answered_twice_the_last_or_the_first_answer_holds(tmp_path: Path) -> None:
    rows = [("1", "d1", "ann", 1), ("1", "d1", "bea", 0), ("1", "d1", "ann", 0), ("1", "d2", "ann", -2)]
    table = judgments_file(tmp_path / "all.tsv", rows)
    arguments = ("--judgments", table, "--cannot-judge=-2", "--scale=0 1")
    report = said(*arguments)
    assert report["pairs"][0]["table"] == [[0, 0], [0, 1]]
    assert report["entered"]["left_out"]["cannot_judge"] == 1
    assert said(*arguments, "--repeats=first")["pairs"][0]["table"] == [[0, 1], [0, 0]]


def test_the_crowds_alpha_is_that_of_the_catalogue() -> None:
    # CATALOGUE.md: .057 nominal and .100 ordinal without -2, one label of a worker who labelled a document
    # twice. The first is taken here; with the last, as campaigns do, it is .058 and .100.
    table = shared("data", "trec-rf10-crowd", "judgments.tsv.gz")
    asked = ["--judgments", str(table), "--cannot-judge=-2", "--repeats=first", "--graded", "--coefficients"]
    found = {}
    for level in ("nominal", "ordinal"):
        data = said(*asked, f"--level={level}", "--rounds=1")
        found[level] = data["coefficients"]["alpha"]["value"]
    assert {level: round(value, 3) for level, value in found.items()} == {"nominal": 0.057, "ordinal": 0.1}


def test_assessors_with_one_file_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        qrels_file(tmp_path / folder / "qrels.txt", {"1": {"a": 1}})
    report = said(tmp_path / "x" / "qrels.txt", tmp_path / "y" / "qrels.txt")
    assert [one["name"] for one in report["entered"]["assessors"]] == ["qrels", "qrels-2"]


def test_qrels_may_be_gzip_and_come_from_the_standard_input(textbook: list[str], tmp_path: Path) -> None:
    packed = tmp_path / "ann.txt.gz"
    packed.write_bytes(gzip.compress(Path(textbook[0]).read_bytes()))
    done = workbench("agree", packed, "-", "--json", given=Path(textbook[1]).read_bytes())
    report = json.loads(done.stdout)
    assert [one["name"] for one in report["entered"]["assessors"]] == ["ann", "stdin"]
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
