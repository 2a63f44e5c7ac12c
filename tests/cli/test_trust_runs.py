"""`workbench trust runs`: from files to tables, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.cli.main import workbench
from workbench.errors import InvalidInput, WorkbenchError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of one topic: a d1 d2, b d1 d3, c d2 d4, and late e d4 d3. Relevant are d1, d3 and d4."""
    monkeypatch.chdir(tmp_path)
    for tag, docnos in {"a": "12", "b": "13", "c": "24", "e": "43"}.items():
        lines = [f"1 Q0 d{docno} {rank} {9 - rank} {tag}\n" for rank, docno in enumerate(docnos, 1)]
        Path(f"{tag}.run").write_text("".join(lines))
    Path("qrels").write_text("1 0 d1 1\n1 0 d2 0\n1 0 d3 1\n1 0 d4 1\n1 0 d9 0\n")
    Path("groups").write_text("a\tone\nb\tone\nc\ttwo\ne\tthree\n")
    Path("pooled").write_text("a\nb\n\nc\n")
    return tmp_path


def trust(*words: str) -> Result:
    runs = [f"{tag}.run" for tag in "abce"]
    return CliRunner().invoke(workbench, ["trust", "runs", "qrels", *runs, "--depth", "2", *words])


def test_groups_by_hand(folder: Path) -> None:
    done = trust("--groups", "groups", "--pooled", "pooled", "--json")
    data = json.loads(done.stdout)
    # d1 and d3 came from group one alone, d4 from two alone; d2 from both; d9 from nobody.
    assert {one["group"]: (one["unique"], one["unique_relevant"]) for one in data["groups"]} == {
        "one": (2, 2),
        "two": (1, 1),
    }
    # Run a: AP 1/3 of three relevant; without d1 and d3 it has nothing. Run c: d4 at 2, (1/2) / 3, then none.
    assert {one["run"]: (one["score"], one["without"], one["share"]) for one in data["pooled"]} == {
        "a": (pytest.approx(1 / 3), 0, 1),
        "b": (pytest.approx(2 / 3), 0, 1),
        "c": (pytest.approx(1 / 6), 0, 1),
    }
    assert [one["run"] for one in data["late"]] == ["e"]
    assert (data["pool"], data["pool_judged"], data["graded"]) == (4, 4, 5)


def test_single_runs_are_groups_of_their_own(folder: Path) -> None:
    for words in (("--single-runs", "--groups", "groups"), ()):
        data = json.loads(trust("--pooled", "pooled", *words, "--json").stdout)
        unique = {one["group"]: (one["unique"], one["unique_relevant"]) for one in data["groups"]}
        # d1 is of a and b, d2 of a and c.
        assert unique == {"a": (0, 0), "b": (1, 1), "c": (1, 1)}


def test_every_form_has_the_same_figures(folder: Path) -> None:
    data = json.loads(trust("--groups", "groups", "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(trust("--groups", "groups", "--csv").stdout)))
    assert [(row["run"], float(row["lost"])) for row in rows] == [
        (one["run"], one["lost"]) for one in data["pooled"]
    ]
    text = trust("--groups", "groups")
    assert [line.split("\t")[0] for line in text.stdout.splitlines()] == [
        "run",
        *(row["run"] for row in rows),
    ]
    assert text.stderr
    late = trust("--groups", "groups", "--pooled", "pooled", "--part", "late")
    assert [line.split("\t")[0] for line in late.stdout.splitlines()] == ["run", "e"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["--groups", "pooled"], InvalidInput),
        (["--pooled", "qrels"], WorkbenchError),
        (["-m", "AP P@2"], WorkbenchError),
    ],
)
def test_what_cannot_be_done_is_refused(folder: Path, words: list[str], kind: type[WorkbenchError]) -> None:
    assert type(trust(*words).exception) is kind


def test_runs_are_read_twice_and_so_are_no_standard_input(folder: Path) -> None:
    done = CliRunner().invoke(workbench, ["trust", "runs", "qrels", "-", "--depth", "2"], input="")
    assert done.exit_code == 2
