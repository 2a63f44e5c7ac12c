"""`workbench agree`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, workbench
from tests.support import shared
from workbench.cli.agree import command
from workbench.errors import InvalidInput, WorkbenchError

TOPICS = 8


@pytest.fixture
def textbook(tmp_path: Path) -> list[str]:
    """Table 8.2 of Manning, Raghavan and Schuetze: 300, 20 / 10, 70; two more pairs judged by one only.

    The documents go to eight topics in turn.
    """
    rows = [(1, 1)] * 300 + [(1, 0)] * 20 + [(0, 1)] * 10 + [(0, 0)] * 70
    paths = []
    for place, (name, alone) in enumerate((("ann", {"alone": 1}), ("bea", {"other": 0}))):
        judged = {
            str(topic + 1): {f"d{at}": rows[at][place] for at in range(topic, len(rows), TOPICS)}
            for topic in range(TOPICS)
        }
        judged["1"] |= alone
        paths.append(str(qrels_file(tmp_path / f"{name}.qrels", judged)))
    return paths


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


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
    done = workbench("agree", *textbook, "--json")
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
    interval = found["pooled"]["interval"]
    assert {name: interval[name] for name in ("method", "level", "units")} == {
        "method": "jackknife over topics", "level": 0.95, "units": TOPICS,
    }  # fmt: skip
    # Every topic has ten or eleven of the 85 documents that are not relevant.
    assert 7.9 < interval["effective_topics"] <= TOPICS
    assert interval["low"] < found["pooled"]["value"] < interval["high"]
    assert report["how"] == {
        "weights": "nominal", "weights_divided_by": 1, "level": "ordinal", "confidence": 0.95,
    }  # fmt: skip
    assert report["prevalence_index"] == pytest.approx(0.575)


def test_people_get_the_table_the_working_and_the_band(textbook: list[str]) -> None:
    printed = invoke(*textbook).stdout
    for line in (
        "400 pairs of topic and document that both judged; pairs that only one judged are left out.",
        "Compared: relevant from grade 1 or not.",
        "ann and bea: 400 pairs judged by both, 1 by ann only, 1 by bea only",
        "ann: relevant\t300\t20\t320",
        "ann: not relevant\t10\t70\t80",
        "total\t310\t90\t400",
        "Share of “relevant”\t(320 + 310) / 800\t0.7875",
        "Kappa\t(0.9250 − 0.6653) / (1 − 0.6653)\t0.7759",
        "AC\t(0.9250 − 0.3347) / (1 − 0.3347)\t0.8873",
        "bea against ann: precision 0.9677, recall 0.9375; with the roles reversed, the two are swapped.",
    ):
        assert line in printed.splitlines()
    assert "Pooled kappa\t0.9250\t0.6653\t0.7759\t" in printed
    assert "Intervals: 95 %, jackknife over topics." in printed
    found = said(*textbook)["coefficients"]["pooled"]
    over, these = (f"{found[of]['low']:.3f} to {found[of]['high']:.3f}" for of in ("interval", "analytic"))
    assert f"Pooled kappa\t0.9250\t0.6653\t0.7759\t{over}\t400\tsubstantial\t{these}" in printed
    assert "No interval" not in printed
    assert "Every two" not in printed


def test_more_than_two_assessors_have_means(textbook: list[str], tmp_path: Path) -> None:
    # cyd shares no document with the others, so two of three pairs of assessors are left out.
    third = qrels_file(tmp_path / "cyd.qrels", {"9": {"x": 1}})
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
    printed = invoke(first, second, "--graded").stdout
    assert "ann: grade 2\t0\t1\t0\t1" in printed
    assert "Compared: grades 0, 1, 2.\n" in printed
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
    # 300 relevant to both of 330 relevant to either.
    (together,) = (row for row in rows if row["coefficient"] == "overlap_topics_together")
    assert float(together["value"]) == pytest.approx(300 / 330)
    assert float(together["low"]) < 300 / 330 < float(together["high"])
    assert (together["n"], together["interval"]) == (str(TOPICS), "jackknife over topics")
    assert "Pooled kappa & 0.776 &" in invoke(*textbook, "--latex").stdout
    matrix = list(csv.reader(invoke(*textbook, "--matrix=observed", "--csv").stdout.splitlines()))
    assert matrix == [["assessor", "ann", "bea"], ["ann", "", "0.925"], ["bea", "0.925", ""]]
    assert "ann\t\t0.9250" in invoke(*textbook, "--matrix=observed").stdout
    data = json.loads(invoke(*textbook, "--matrix=observed", "--json").stdout)
    assert data["order"] == ["ann", "bea"]
    assert "ann &  & 0.93 \\\\" in invoke(*textbook, "--matrix=observed", "--latex").stdout
    only = list(csv.DictReader(invoke(*textbook, "--coefficients", "--csv").stdout.splitlines()))
    assert [row["coefficient"] for row in only][:3] == ["observed", "pooled", "unpooled"]
    assert "Pooled kappa & 0.776 &" in invoke(*textbook, "--coefficients", "--latex").stdout


def test_two_assessors_come_closely_in_every_form(textbook: list[str]) -> None:
    # Manning, Raghavan and Schuetze 2008, table 8.2: 300, 20, 10, 70; pooled kappa 0.7759.
    pair = (*textbook, "--pair", "bea", "ann")
    said = invoke(*pair).stdout
    assert "bea and ann: 400 pairs judged by both, 1 by bea only, 1 by ann only" in said
    assert "Where they differ: 30 pairs, largest difference first" in said
    data = json.loads(invoke(*pair, "--json").stdout)
    assert (data["first"], data["second"], data["table"]) == ("bea", "ann", [[300, 10], [20, 70]])
    assert data["working"]["pooled"][-1]["result"] == "0.7759"
    assert len(data["differ"]) == 30
    rows = list(csv.DictReader(invoke(*pair, "--csv").stdout.splitlines()))
    counts = [(row["first"], row["second"], row["n"]) for row in rows if row["part"] == "table"]
    assert counts == [("1", "1", "300"), ("1", "0", "10"), ("0", "1", "20"), ("0", "0", "70")]
    assert sum(row["part"] == "differ" for row in rows) == 30
    # Of the 320 that ann called relevant bea did 300.
    values = {row["name"]: row["value"] for row in rows if row["part"] == "index"}
    assert float(values["precision_of_second"]) == pytest.approx(300 / 320)
    latex = invoke(*pair, "--latex").stdout
    assert "relevant & 300 & 10 & 310" in latex
    assert r"& 0.7759 \\" in latex
    assert latex.isascii()
    assert "name two assessors" in str(invoke(*textbook, "--pair", "bea", "bea").exception)
    assert "no grade of cal is included" in str(invoke(*textbook, "--pair", "bea", "cal").exception)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--json", "--csv"], "cannot be combined"),
        (["--coefficients", "--matrix=pooled"], "choose one of"),
        (["--documents=5"], "matters with --basis"),
        (["--repeats=first"], "goes with --judgments"),
    ],
)
def test_options_that_exclude_one_another_are_refused(
    textbook: list[str], wrong: list[str], message: str
) -> None:
    result = invoke(*textbook, *wrong)
    assert result.exit_code == 2
    assert message in result.output


def test_weights_and_scales_that_cannot_be_are_refused(textbook: list[str], tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="neither the name of weights nor a readable"):
        CliRunner().invoke(command, [*textbook, "--weights=cubic"], catch_exceptions=False)
    broken = tmp_path / "w.txt"
    broken.write_text("0 1\n1 x\n")
    with pytest.raises(WorkbenchError, match=r"w\.txt:2"):
        CliRunner().invoke(command, [*textbook, f"--weights={broken}"], catch_exceptions=False)
    with pytest.raises(WorkbenchError, match="is not a scale"):
        CliRunner().invoke(command, [*textbook, "--scale=0"], catch_exceptions=False)


def test_a_judgments_file_holds_many_assessors_and_machines_stay_apart(tmp_path: Path) -> None:
    rows = [("1", f"d{at}", who, at % 2) for at in range(4) for who in ("ann", "bea", "robot")]
    table = judgments_file(tmp_path / "all.tsv", rows)
    report = said("--judgments", table, "--machine=robot")
    assert [one["name"] for one in report["entered"]["assessors"]] == ["ann", "bea"]
    among = said("--judgments", table, "--machine=robot", "--machines=among")
    assert [pair["machine"] for pair in among["pairs"]] == [False, True, True]
    with pytest.raises(WorkbenchError, match=r"nobody is not an assessor in these files \(choose from "):
        CliRunner().invoke(command, ["--judgments", str(table), "--machine=nobody"], catch_exceptions=False)


def test_of_an_assessor_who_answered_twice_the_last_or_the_first_answer_holds(tmp_path: Path) -> None:
    rows = [("1", "d1", "ann", 1), ("1", "d1", "bea", 0), ("1", "d1", "ann", 0), ("1", "d2", "ann", -2)]
    table = judgments_file(tmp_path / "all.tsv", rows)
    arguments = ("--judgments", table, "--cannot-judge=-2", "--scale=0 1")
    report = said(*arguments)
    assert report["pairs"][0]["table"] == [[0, 0], [0, 1]]
    assert report["entered"]["left_out"]["cannot_judge"] == 1
    assert said(*arguments, "--repeats=first")["pairs"][0]["table"] == [[0, 1], [0, 0]]


@pytest.mark.slow
def test_the_crowds_alpha_is_that_of_the_catalogue() -> None:
    # CATALOGUE.md: .057 nominal and .100 ordinal without -2, one label of a worker who labelled a document
    # twice. The first is taken here; with the last, as campaigns do, it is .058 and .100.
    table = shared("data", "trec-rf10-crowd", "judgments.tsv.gz")
    asked = ["--judgments", str(table), "--cannot-judge=-2", "--repeats=first", "--graded", "--coefficients"]
    found = {}
    for level in ("nominal", "ordinal"):
        data = said(*asked, f"--level={level}")
        found[level] = data["coefficients"]["alpha"]["value"]
    assert {level: round(value, 3) for level, value in found.items()} == {"nominal": 0.057, "ordinal": 0.1}


def test_assessors_with_one_file_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        qrels_file(tmp_path / folder / "qrels.txt", {"1": {"a": 1}})
    report = said(tmp_path / "x" / "qrels.txt", tmp_path / "y" / "qrels.txt")
    assert [one["name"] for one in report["entered"]["assessors"]] == ["qrels", "qrels-2"]


@pytest.mark.parametrize("arguments", [["one.qrels"], ["a", "b", "--relevant-from=0"], ["-", "-"]])
def test_a_command_line_that_is_not_understood_has_exit_code_two(arguments: list[str]) -> None:
    assert CliRunner().invoke(command, arguments).exit_code == 2


def test_a_negative_grade_that_nobody_explained_is_refused_and_not_taken_for_an_answer_that_is_none(
    tmp_path: Path,
) -> None:
    # -1 was taken for no answer and -2 for unsure, since these stand for them inside.
    rows = [("1", "a", "x", -1), ("1", "a", "y", 0), ("1", "b", "x", -2), ("1", "b", "y", 1)]
    file = judgments_file(tmp_path / "said.tsv", rows)
    refused = invoke("--judgments", file).exception
    assert isinstance(refused, InvalidInput)
    (finding,) = refused.findings
    assert finding.message == "2 grades are negative (-1, -2), first that of document a for topic 1"
    assert "--cannot-judge=-1 --cannot-judge=-2" in finding.remedy
    alone = judgments_file(tmp_path / "one.tsv", [*rows[:3], ("1", "b", "y", 1), ("1", "a", "x", 1)])
    report = said("--judgments", alone, "--cannot-judge=-1", "--cannot-judge=-2")
    assert report["entered"]["left_out"] == {"unsure": 0, "cannot_judge": 1, "judged_by_one_only": 1}


def test_grades_may_be_large_and_too_many_of_them_are_refused(tmp_path: Path) -> None:
    rows = [("1", "a", "x", 99_999), ("1", "a", "y", 0), ("1", "b", "x", 0), ("1", "b", "y", 0)]
    report = said("--judgments", judgments_file(tmp_path / "large.tsv", rows), "--graded")
    assert report["pairs"][0]["table"] == [[0, 1], [0, 1]]
    many = [("1", f"d{grade}", who, grade) for grade in range(101) for who in "xy"]
    refused = invoke("--judgments", judgments_file(tmp_path / "many.tsv", many)).exception
    assert isinstance(refused, WorkbenchError)
    assert "101 different grades are too many" in str(refused)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("0 1\n1\n", "the rows of the weights differ in length"),
        ("0 0\n0 0\n", "under these weights no two grades disagree"),
        ("", "the weights are not a square table"),
    ],
)
def test_a_file_of_weights_that_cannot_be_is_named_with_what_is_wrong(
    textbook: list[str], tmp_path: Path, rows: str, said: str
) -> None:
    file = tmp_path / "weights.txt"
    file.write_text(rows, encoding="utf-8")
    with pytest.raises(WorkbenchError, match=f"weights.txt: {said}"):
        CliRunner().invoke(command, [*textbook, f"--weights={file}"], catch_exceptions=False)


def test_weights_may_begin_with_a_mark_of_bytes_as_spreadsheets_write_them(
    textbook: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "weights.txt"
    file.write_bytes(b"\xef\xbb\xbf0 1\r\n1 0\r\n")
    assert said(*textbook, "--graded", f"--weights={file}")["coefficients"]["pooled"]["n"] == 400


def test_a_line_above_all_grades_is_refused_since_nothing_would_be_relevant(textbook: list[str]) -> None:
    refused = invoke(*textbook, "--relevant-from=2").exception
    assert isinstance(refused, WorkbenchError)
    assert "no grade is 2 or higher, so nothing is relevant; the highest is 1" in str(refused)
    # On a scale that has the grade nothing hinders.
    undefined = said(*textbook, "--relevant-from=2", "--scale=0 1 2")["coefficients"]["pooled"]
    assert undefined["undefined"].startswith("everyone gave the same grade")


def test_the_overlap_has_its_line_where_all_grades_are_compared(tmp_path: Path) -> None:
    # Both call a relevant from 2 on, x alone b: 1 of 2; from 1 on both call all three so.
    rows = [("1", "a", "x", 2), ("1", "a", "y", 2), ("1", "b", "x", 2), ("1", "b", "y", 1)]
    rows += [("1", "c", "x", 1), ("1", "c", "y", 1)]
    file = judgments_file(tmp_path / "said.tsv", rows)
    for line, shared_of_all in (("2", 0.5), ("1", 1.0)):
        report = said("--judgments", file, "--graded", f"--relevant-from={line}")
        assert report["overlap"][0]["mean_over_topics"] == shared_of_all
        assert report["coefficients"]["observed"]["value"] == pytest.approx(2 / 3)
