"""`workbench consensus`, and the campaign's commands that use its rules."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from tests.cli.executable import qrels_file
from tests.support import shared
from workbench.cli.consensus import command
from workbench.cli.files import write_out
from workbench.cli.main import workbench
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.judging.importing import import_judgments

# d1: 2, 2 and at last 0; d2: 1 and 0; d3: 0, and -2, which is no grade here.
LINES = [
    "topic\tdoc\tassessor\tgrade", "1\td1\tann\t2", "1\td1\tbea\t2", "1\td1\tcyd\t1", "1\td1\tcyd\t0",
    "1\td2\tann\t1", "1\td2\tbea\t0", "1\td3\tann\t0", "1\td3\tbea\t-2",
]  # fmt: skip


def test_a_file_has_its_name_once_it_is_complete(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"new"
        raise WorkbenchError("one id is odd")

    output = tmp_path / "out.csv"
    output.write_bytes(b"old")
    output.chmod(0o640)
    with pytest.raises(WorkbenchError):
        write_out(parts(), output)
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert output.read_bytes() == b"old"
    write_out([b"new"], output)
    assert (output.read_bytes(), output.stat().st_mode & 0o777) == (b"new", 0o640)
    write_out([b"new"], Path(os.devnull))


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "judgments.tsv"
    path.write_text("\n".join(LINES) + "\n")
    return str(path)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments), "--cannot-judge", "-2"])


def said(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exception is None, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def test_all_rules_are_compared_and_repeats_told(table: str) -> None:
    result = run(table)
    assert result.exit_code == 0
    assert "judgments: 8; pairs repeated by the same assessor: 1, with another answer: 1" in result.stderr
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in result.stdout.splitlines()}
    # Of the two of d2 neither has the majority.
    assert rows["majority"][:3] == ["2", "1", "0:1 2:1"]
    assert rows["sum"][:3] == ["1", "2", "4:1"]
    assert {"dawid-skene", "adjudicated", "two-and-adjudicator"} < rows.keys()
    # No assessor is named.
    assert "one" not in rows
    assert "note: majority leaves 1: equally many assessors gave different grades" in result.stderr


def test_one_rule_gives_qrels_labels_or_soft_labels(table: str, tmp_path: Path) -> None:
    file = tmp_path / "out.qrels"
    rule = ("--rule", "majority", "--ties", "higher")
    assert run(table, *rule, "--export", "qrels", "-o", file).stdout == ""
    assert file.read_text() == "1 0 d1 2\n1 0 d2 1\n1 0 d3 0\n"
    labels = run(table, *rule, "--export", "labels").stdout.splitlines()
    assert labels[1] == f"1,d1,2,{2 / 3},3,rule,"
    soft = run(table, "--export", "soft").stdout.splitlines()
    assert soft[:2] == ["topic,docno,mean,n,share_0,share_1,share_2", f"1,d1,{4 / 3},3,{1 / 3},0.0,{2 / 3}"]
    assert run(table, "--export", "groups").stdout.splitlines()[:2] == ["1 ann d1 2", "1 ann d2 1"]
    assert json.loads(run(table, "--export", "soft", "--json").stdout)[0]["n"] == 3
    assert run(table, "--export", "soft", "--json", "-o", file).stdout == ""
    assert json.loads(file.read_text())[0]["n"] == 3
    assert run(table, "--export", "groups", "--json").exit_code == 2


def test_a_comparison_as_json_has_counts_rules_agreement_and_accuracy(table: str, tmp_path: Path) -> None:
    (gold := tmp_path / "gold.qrels").write_text("1 0 d1 2\n1 0 d2 0\n")
    counts = {"judgments", "repeated", "contradicted"}
    assert said(table, "--gold", gold).keys() == counts | {"rules", "refused", "agreement", "accuracy"}


def test_a_mean_is_never_written_as_qrels(table: str) -> None:
    result = run(table, "--rule", "mean", "--export", "qrels")
    assert isinstance(result.exception, WorkbenchError)
    assert '"mean"' in str(result.exception)
    assert result.stdout == ""
    assert run(table, "--export", "labels").exit_code == 2


def test_an_adjudicators_file_settles_what_differs(table: str, tmp_path: Path) -> None:
    decided = qrels_file(tmp_path / "decided.qrels", {"1": {"d2": 1, "d9": 2}})
    first = ("--rule", "adjudicated", "--then", "majority", "--adjudicated", decided, "--export", "qrels")
    assert run(table, *first).stdout == "1 0 d1 2\n1 0 d2 1\n1 0 d3 0\n1 0 d9 2\n"
    two = run(table, "--rule", "two-and-adjudicator", "--adjudicated", decided, "--export", "qrels")
    assert two.stdout == "1 0 d2 1\n"


def test_rules_are_held_against_experts(table: str, tmp_path: Path) -> None:
    gold = qrels_file(tmp_path / "gold.qrels", {"1": {"d1": 1, "d2": 1, "d3": 0, "d7": 1, "d8": -2}})
    report = said(table, "--gold", gold, "--rule", "all", "--rule", "any")
    # any: d1 2, d2 1, d3 0: all on the right side, two with the very grade; all: d1 0, d2 0, d3 0.
    assert report["accuracy"]["any"] == {
        "known": 3, "n": 3, "accuracy": 1.0, "same_grade": pytest.approx(2 / 3), "kappa": 1.0,
    }  # fmt: skip
    assert report["accuracy"]["all"]["accuracy"] == pytest.approx(1 / 3)
    assert (report["judgments"], report["repeated"], report["contradicted"]) == (8, 1, 1)
    assert {which: set(values) for which, values in report["agreement"].items()} == {
        which: {"alpha nominal", "alpha ordinal"} for which in ("latest", "first")
    }
    assert "rule\tknown\tn\taccuracy" in run(table, "--gold", gold, "--rule", "any").stdout


def test_a_grade_of_experts_that_means_cannot_judge_is_not_held_against_rules(
    table: str, tmp_path: Path
) -> None:
    gold = qrels_file(tmp_path / "gold.qrels", {"1": {"d1": 1, "d2": 9}})
    report = said(table, "--gold", gold, "--rule", "any", "--cannot-judge=9")
    assert report["accuracy"]["any"]["known"] == 1


@pytest.mark.slow
def test_a_crowd_held_against_experts_has_the_alpha_of_the_catalogue() -> None:
    # CATALOGUE.md, without -2, all grades: .057 nominal and .100 ordinal by the first label of a worker who
    # labelled a document twice; by the last, which holds, .0577 and .0998 (krippendorff of the test extra).
    crowd = shared("data", "trec-rf10-crowd", "judgments.tsv.gz")
    gold = shared("data", "trec-rf10-crowd", "qrels.nist_gold.txt")
    report = said(crowd, "--gold", gold, "--rule", "any")
    found = {
        which: [round(one, 3) for one in values.values()] for which, values in report["agreement"].items()
    }
    assert found == {"latest": [0.058, 0.1], "first": [0.057, 0.1]}
    assert report["accuracy"]["any"]["known"] == 3277


@pytest.fixture
def instance(tmp_path: Path, migrated_sqlite: Path) -> str:
    """An instance with a campaign of two runs, two assessors who differ on d1, and its adjudication."""
    folder = tmp_path / "instance"
    folder.mkdir()
    (folder / "workbench.sqlite3").write_bytes(migrated_sqlite.read_bytes())
    database = Database(f"sqlite:///{folder / 'workbench.sqlite3'}")
    given = [Judgment("X Y", "T1", "d1", 3), Judgment("Z", "T1", "d1", 0), Judgment("Z", "T1", "d2", 2)]
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, given, source="f")
        decided = AdjudicationEventRow(
            campaign_id=made.campaign.id, topic="T1", docno="d1", decision="grade", grade=1, seen=[],
            client_id="c", recorded_at=datetime(2026, 1, 2, tzinfo=UTC),
        )  # fmt: skip
        db.add(decided)
    database.close()
    return str(folder)


def campaign(instance: str, name: str, *arguments: str) -> Result:
    result = CliRunner().invoke(workbench, ["campaign", name, "harbour", "--instance", instance, *arguments])
    assert result.exception is None, result.output
    return result


def test_the_qrels_of_a_campaign_by_the_new_rules(instance: str) -> None:
    first = campaign(instance, "qrels", "--rule", "adjudicated", "--then", "any")
    assert first.stdout == "T1 0 d1 1\nT1 0 d2 2\n"
    two = campaign(instance, "qrels", "--rule", "two-and-adjudicator", "--json")
    report = json.loads(two.stdout)
    assert (report["lines"], report["adjudicated"], report["by_grade"]) == (1, 1, {"1": 1})
    assert report["left"] == {"only one assessor gave a grade, and two are needed": 1}
    groups = campaign(instance, "qrels", "--export", "groups")
    assert groups.stdout == "T1 X_Y d1 3\nT1 Z d1 0\nT1 Z d2 2\n"
    assert "X Y is the group X_Y" in groups.stderr
    assert campaign(instance, "qrels", "--export", "soft").stdout.splitlines()[1].startswith("T1,d1,1.5,2,")
    sums = campaign(instance, "qrels", "--rule", "sum", "--fewer", "sum", "--export", "labels", "--json")
    assert [one["grade"] for one in json.loads(sums.stdout)] == [3, 2]


def test_the_rules_of_a_campaign_are_compared(instance: str) -> None:
    report = json.loads(campaign(instance, "consensus", "--models", "--assessor", "Z", "--json").stdout)
    assert report["rules"]["one-Z"]["by_grade"] == {"0": 1, "2": 1}
    assert "here 2 gave grades" in report["rules"]["dawid-skene"]["refused"]
    shown = campaign(instance, "consensus", "--rule", "any", "--rule", "all").stdout
    assert "any\t2\t0\t2:1 3:1\t2\t0\t0.750" in shown
