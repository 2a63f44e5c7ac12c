"""The commands about agreement, run in this process on one small campaign."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.builders import campaign_with_people
from tests.support import Oracle
from workbench.agreement.jackknife import freedom
from workbench.cli.main import workbench
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments

Run = Callable[..., str]
stats = Oracle("scipy.stats")


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    """X and Y judged 24 pairs of T1 alike but for two, X alone forty of T2, a machine all of T1."""
    folder = tmp_path_factory.mktemp("agreement")
    (folder / "workbench.sqlite3").write_bytes(migrated_sqlite.read_bytes())
    database = Database(f"sqlite:///{folder / 'workbench.sqlite3'}")
    with database.writing() as db:
        made = campaign_with_people(db)
        both = [("T1", f"n{number:02}", number % 2) for number in range(24)]
        said = [Judgment("X", *one) for one in both]
        said += [
            Judgment("Y", topic, docno, 1 if docno in ("n00", "n02") else grade)
            for topic, docno, grade in both
        ]
        said += [Judgment("X", "T2", f"m{number:02}", number % 2) for number in range(40)]
        import_judgments(db, made.campaign.id, said, source="people")
        robot = [Judgment("robot", *one) for one in both]
        import_judgments(db, made.campaign.id, robot, source="robot", machines=["robot"])
    database.close()
    return folder


@pytest.fixture
def run(instance: Path) -> Run:
    """Run a command that must end well; gives what it printed."""

    def run(*words: str) -> str:
        done = CliRunner().invoke(workbench, [*words, "--instance", str(instance)])
        assert done.exit_code == 0, done.output
        return done.output

    return run


def as_json(text: str) -> Any:
    return json.loads(text)


def test_agreement_by_topic_has_three_forms(run: Run) -> None:
    # 22 of 24 agree; X has 12 relevant, Y 14: (11/12 - .5035) / (1 - .5035) = .8322.
    found = as_json(run("campaign", "agreement-by", "topics", "harbour", "--json"))
    (row,) = found["rows"]
    chance = (13 / 24) ** 2 + (11 / 24) ** 2
    assert row["pooled"] == pytest.approx((11 / 12 - chance) / (1 - chance))
    assert (row["topic"], row["n"], row["disputed"]) == ("T1", 24, 2)
    assert row["interval"] == "linearised variance over pairs, Gwet 2014"
    assert row["pooled_low"] < row["pooled"] < row["pooled_high"]
    assert found["topics_without_pairs"] == ["T2"]
    table = run("campaign", "agreement-by", "topics", "harbour", "--csv")
    assert float(next(csv.DictReader(table.splitlines()))["pooled"]) == row["pooled"]
    assert "T1\t24\t2\t0.917\t0.832" in run("campaign", "agreement-by", "topics", "harbour")


def test_the_documents_that_two_must_judge_are_computed_without_a_campaign() -> None:
    options = ["sample-size", "--kappa", "0.5", "--relevant", "0.5", "--half-width", "0.1", "--topics", "50"]
    done = CliRunner().invoke(workbench, [*options, "--icc", "0", "--json"])
    assert done.exit_code == 0
    found = as_json(done.output)
    # Of half relevant the variance of one document's influence on the pooled kappa is 1 - .5^2 (Bloch and
    # Kraemer 1989), so that n is (t / .1)^2 x .75, with as many documents of each topic.
    t = float(stats.t.ppf(0.975, freedom(50)))
    per_topic = ceil((t / 0.1) ** 2 * 0.75 / 50)
    assert (found["per_topic"], found["documents"]) == (per_topic, 50 * per_topic)
    assert found["half_width"] == pytest.approx(t * (0.75 / (50 * per_topic)) ** 0.5)
    said = CliRunner().invoke(workbench, [*options, "--icc", "0"]).output
    assert said.startswith(
        f"{50 * per_topic} documents judged by both, {per_topic} in each of 50 topics: ± 0."
    )
    # With every document of a topic telling the same, a topic is worth one document.
    found = as_json(CliRunner().invoke(workbench, [*options, "--icc", "1", "--json"]).output)
    assert found["documents"] is None
    assert found["half_width"] == pytest.approx(t * (0.75 / 50) ** 0.5)
    said = CliRunner().invoke(workbench, [*options, "--icc", "1"]).output
    assert said == (
        f"50 topics cannot give ± 0.1, however many documents are judged: the limit is ± "
        f"{found['half_width']:.3f}; {found['topics_needed']:,} topics would be enough.\n"
    )
    wrong = CliRunner().invoke(workbench, ["sample-size", "--coefficient", "alpha"])
    assert (wrong.exit_code, "'alpha' is not one of" in wrong.output) == (2, True)


def test_a_machine_is_compared_with_people(run: Run) -> None:
    found = as_json(run("campaign", "agreement-by", "machines", "harbour", "--json"))
    # The robot says what X says; Y differs on n00 and n02, where people are tied.
    rows = {(row["against"], row["person"]): row for row in found["rows"]}
    assert (rows["majority", None]["n"], rows["majority", None]["observed"]) == (22, 1.0)
    assert rows["person", "Y"]["observed"] == pytest.approx(11 / 12)
    assert (rows["person", "Y"]["interval"], rows["person", "Y"]["pooled_low"]) == (
        "jackknife over topics",
        None,
    )
    assert found["majority"] == {"robot": {"tied": 2, "one_person": 0}}
    assert "robot\tperson\tX\t24" in run("campaign", "agreement-by", "machines", "harbour")


COMMANDS = ["self", "machines", "topics"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_report_says_by_which_line(run: Run, command: str) -> None:
    found = as_json(run("campaign", "agreement-by", command, "harbour", "--json"))
    assert [found[name] for name in ("relevant_from", "graded")] == [1, False]
    graded = as_json(run("campaign", "agreement-by", command, "harbour", "--json", "--graded"))
    assert (graded["relevant_from"], graded["graded"]) == (1, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_csv_says_how_its_intervals_are_found(run: Run, command: str) -> None:
    said = run("campaign", "agreement-by", command, "harbour", "--csv").splitlines()
    assert said[0].endswith("undefined,would_define,interval,level")
    assert all(line.endswith(",0.95") for line in said[1:])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_report_has_one_form_at_a_time(command: str) -> None:
    done = CliRunner().invoke(workbench, ["campaign", "agreement-by", command, "harbour", "--csv", "--json"])
    assert done.exit_code == 2
    assert "cannot be combined" in done.output


def test_what_needs_events_of_the_screen_says_nothing_of_files(run: Run) -> None:
    assert as_json(run("campaign", "agreement-by", "self", "harbour", "--json"))["rows"] == []
    assert run("campaign", "agreement-by", "self", "harbour", "--csv").startswith("assessor,")
