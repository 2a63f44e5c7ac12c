"""`workbench trust judges`: from files to a table, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.cli.main import workbench
from workbench.errors import InvalidInput, WorkbenchError

RUN = "1 Q0 {} 1 3 {tag}\n1 Q0 {} 2 2 {tag}\n1 Q0 {} 3 1 {tag}\n2 Q0 {} 1 3 {tag}\n2 Q0 {} 2 2 {tag}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ann has a relevant alone, bob c: run x has a first, y has c first."""
    monkeypatch.chdir(tmp_path)
    Path("x.run").write_text(RUN.format(*"abcab", tag="x"))
    Path("y.run").write_text(RUN.format(*"cbaba", tag="y"))
    rows = ["topic\tdoc\tassessor\tgrade"]
    for topic in "12":
        rows += [f"{topic}\ta\tann\t1", f"{topic}\tc\tann\t0", f"{topic}\ta\tbob\t0", f"{topic}\tc\tbob\t1"]
    Path("judged.tsv").write_text("\n".join(rows))
    for name, grades in (("ann", (1, 0)), ("bob", (0, 1))):
        lines = [
            f"{topic} 0 {doc} {grade}\n" for topic in "12" for doc, grade in zip("ac", grades, strict=True)
        ]
        Path(f"{name}.qrels").write_text("".join(lines))
    return tmp_path


def trust(*words: str) -> Result:
    return CliRunner().invoke(workbench, ["trust", "judges", "x.run", "y.run", "--mixtures", "30", *words])


def test_every_form_has_the_same_figures(folder: Path) -> None:
    given = ("-j", "judged.tsv", "--reference", "ann", "--rule", "any")
    data = json.loads(trust(*given, "--json").stdout)
    assert data["options"]["reference"] == "ann"
    assert [one["name"] for one in data["others"]] == ["bob", "any"]
    # AP under ann: x 1 and 1, y 1/3 and 1/2; under bob x 1/3 and 0, y 1 and 0: the two change places.
    assert data["others"][0]["coefficients"]["tau_a"] == -1
    assert {one["run"]: one["score"] for one in data["standings"]} == {"x": 1, "y": pytest.approx(5 / 12)}
    rows = list(csv.DictReader(io.StringIO(trust(*given, "--csv").stdout)))
    assert [row["qrels"] for row in rows] == ["bob", "any", "mixtures", "two mixtures"]
    assert float(rows[2]["tau_b_low"]) == data["mixtures"]["coefficients"]["tau_b"]["low"]
    text = trust(*given)
    assert text.exit_code == 0
    assert [line.split("\t")[0] for line in text.stdout.splitlines()] == [
        "qrels",
        *(row["qrels"] for row in rows),
    ]
    assert "Holm" in text.stderr


def test_files_of_one_assessor_each_are_the_same_judgments(folder: Path) -> None:
    together, apart = (
        trust("-j", "judged.tsv", "--json"),
        trust("-a", "ann.qrels", "-a", "bob.qrels", "--json"),
    )
    assert json.loads(together.stdout) == json.loads(apart.stdout)


@pytest.mark.parametrize("part", ["runs", "pairs", "between"])
def test_other_tables_are_printed(folder: Path, part: str) -> None:
    done = trust("-j", "judged.tsv", "--reference", "ann", "--part", part)
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) > 1


def test_the_qrels_of_the_collection_may_be_the_reference_and_fill_what_was_not_judged(folder: Path) -> None:
    Path("official.qrels").write_text("1 0 a 1\n1 0 c 1\n2 0 a 1\n2 0 c 0\n")
    Path("judged.tsv").write_text("topic\tdoc\tassessor\tgrade\n1\ta\tann\t0\n1\tb\tbob\t1\n")
    plain = json.loads(trust("-j", "judged.tsv", "--qrels", "official.qrels", "--json").stdout)
    assert plain["options"]["reference"] == "qrels"
    graded = {one["name"]: (one["graded"], one["topics"]) for one in plain["others"]}
    assert (graded["ann"], plain["graded_pairs"]) == ((1, 1), 5)
    whole = json.loads(trust("-j", "judged.tsv", "--qrels", "official.qrels", "--fill", "--json").stdout)
    graded = {one["name"]: (one["graded"], one["topics"]) for one in whole["others"]}
    assert (graded["ann"], graded["bob"]) == ((2, 1), (3, 1))


def test_one_assessor_is_compared_with_the_qrels_alone(folder: Path) -> None:
    done = trust("-a", "bob.qrels", "--qrels", "ann.qrels")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["qrels", "bob"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ([], WorkbenchError),
        (["-j", "judged.tsv", "--reference", "eve"], WorkbenchError),
        (["-j", "judged.tsv", "-m", "AP P@5"], WorkbenchError),
        (["-j", "judged.tsv", "--level", "2"], WorkbenchError),
        (["-j", "judged.tsv", "--rbo-p", "0"], WorkbenchError),
        (["-j", "nowhere.tsv"], InvalidInput),
    ],
)
def test_what_cannot_be_done_is_refused(folder: Path, words: list[str], kind: type[WorkbenchError]) -> None:
    assert type(trust(*words).exception) is kind


@pytest.mark.parametrize("code", ["2", "-2"])
def test_a_grade_of_qrels_that_means_cannot_judge_is_no_judgment(folder: Path, code: str) -> None:
    # Were 2 a grade, b would be the most relevant; so it is of no assessor and not in the reference.
    for name in ("ann", "bob"):
        with Path(f"{name}.qrels").open("a") as qrels:
            qrels.write(f"1 0 b {code}\n")
    Path("all.qrels").write_text(f"1 0 a 1\n1 0 b {code}\n2 0 a 1\n")
    given = ("-a", "ann.qrels", "-a", "bob.qrels", "--qrels", "all.qrels", "--rule", "any")
    data = json.loads(trust(*given, "--cannot-judge", code, "--json").stdout)
    assert {one["name"]: one["graded"] for one in data["others"]} == {"ann": 4, "bob": 4, "any": 4}
    assert {one["run"]: one["score"] for one in data["standings"]} == {"x": 1, "y": pytest.approx(5 / 12)}
