"""Adjudication by commands: the queue, decisions in and out, a discussion that was held elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import new_instance
from tests.support import shared
from workbench.cli.agree import command as agree
from workbench.cli.campaign import command

RUN = "T1 Q0 {0} 1 2 {2}\nT1 Q0 {1} 2 1 {2}\n"
JUDGED = "topic\tdoc\tassessor\tgrade\nT1\td1\tann\t0\nT1\td1\tbea\t1\nT1\td2\tann\t1\nT1\td2\tbea\t1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, migrated_sqlite: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(new_instance(tmp_path / "instance", migrated_sqlite)))
    (tmp_path / "topics.tsv").write_text("T1\ttides\n", encoding="utf-8")
    (tmp_path / "one.run").write_text(RUN.format("d1", "d2", "one"), encoding="utf-8")
    (tmp_path / "two.run").write_text(RUN.format("d2", "d1", "two"), encoding="utf-8")
    (tmp_path / "judged.tsv").write_text(JUDGED, encoding="utf-8")
    (tmp_path / "decided.tsv").write_text("topic\tdoc\tgrade\treason\nT1\td1\t1\tit says so\n")
    for words in (
        ("new", "Small"),
        ("topics", "small", "topics.tsv"),
        ("runs", "small", "one.run", "two.run"),
        ("import", "small", "judged.tsv"),
    ):
        assert campaign(*words).exit_code == 0
    return tmp_path


def campaign(*words: str) -> Result:
    return CliRunner().invoke(command, words)


def told(*words: str) -> Any:
    result = campaign(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.usefixtures("folder")
def test_disputed_pairs_are_listed_with_who_said_what_and_how_much_they_move() -> None:
    found = told("adjudication", "disputes", "small")
    assert (found["disputed"], found["done"], found["counts"]["open"]) == (1, 0, 1)
    (pair,) = found["pairs"]
    assert [(one["assessor"], one["grade"]) for one in pair["answers"]] == [("ann", 0), ("bea", 1)]
    # With d1 not relevant run two is the better one, with d1 relevant they are tied: half a swap.
    assert pair["influence"]["swaps"] == 0.5
    lines = campaign("adjudication", "disputes", "small", "--csv").stdout.splitlines()
    assert lines[0].startswith("topic,doc,state,answers,distance")
    assert lines[1].startswith("T1,d1,open,ann: 0; bea: 1,1,1.0,yes,0.5,")
    assert campaign("adjudication", "disputes", "small", "--state", "decided").stdout.count("\n") == 1
    assert campaign("adjudication", "disputes", "small", "--csv", "--json").exit_code == 2


@pytest.mark.usefixtures("folder")
def test_decisions_come_in_once_go_out_as_they_came_and_stand_in_the_queue() -> None:
    assert told("adjudication", "decide", "small", "decided.tsv") == [
        {"file": "decided.tsv", "read": 1, "new": 1, "undisputed": 0, "ungiven": 0}
    ]
    assert told("adjudication", "decide", "small", "decided.tsv")[0]["new"] == 0
    assert (
        campaign("adjudication", "decisions", "small").stdout
        == "topic\tdoc\tgrade\treason\nT1\td1\t1\tit says so\n"
    )
    assert told("adjudication", "disputes", "small")["counts"]["decided"] == 1


def test_a_file_with_wrong_decisions_leaves_nothing(folder: Path) -> None:
    text = "topic\tdoc\tgrade\nT1\td1\t1\nT9\td1\t1\nT1\td2\t5\nT1\td3\t0\n"
    (folder / "wrong.tsv").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(command, ["adjudication", "decide", "small", "wrong.tsv"])
    assert result.exit_code == 1
    found = getattr(result.exception, "findings", ())
    assert [(one.line, one.code) for one in found] == [(3, "unknown-topic"), (4, "grade"), (5, "not-judged")]
    assert told("adjudication", "disputes", "small")["counts"]["decided"] == 0


def test_the_nyt_pilot_held_elsewhere_reports_what_was_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, migrated_sqlite: Path
) -> None:
    # CATALOGUE.md: 34 of 360 labels changed; Fleiss' kappa .485 before, .675 after.
    data = shared("data", "nyt-core17-pilot")
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(new_instance(tmp_path / "instance", migrated_sqlite)))
    grades = [{"value": value, "label": str(value)} for value in range(3)]
    scale = tmp_path / "scale.json"
    scale.write_text(json.dumps({"relevant_from": 1, "grades": grades}), encoding="utf-8")
    before, after = (str(data / f"judgments.reviewers_{name}.tsv") for name in ("before", "after"))
    assert campaign("new", "Pilot", "--scale", str(scale)).exit_code == 0
    assert campaign("topics", "pilot", str(data / "topics.jsonl")).exit_code == 0
    assert sum(one["new"] for one in told("import", "pilot", before)) == 360
    disputed = told("adjudication", "disputes", "pilot", "--order", "topic")["disputed"]
    assert sum(one["new"] for one in told("import", "pilot", after, "--discussed")) == 360
    assert sum(one["new"] for one in told("import", "pilot", after, "--discussed")) == 0
    assert told("adjudication", "disputes", "pilot", "--order", "topic")["disputed"] < disputed
    fleiss = []
    for name in (before, after):
        told_by = CliRunner().invoke(agree, ["--judgments", name, "--graded", "--coefficients", "--json"])
        found = json.loads(told_by.stdout)["coefficients"]["pooled"]
        fleiss.append((found["n"], round(found["value"], 3)))
    assert fleiss == [(120, 0.485), (120, 0.675)]
    labels = [Path(name).read_text(encoding="utf-8").splitlines() for name in (before, after)]
    assert sum(one != other for one, other in zip(*map(sorted, labels), strict=True)) == 34
