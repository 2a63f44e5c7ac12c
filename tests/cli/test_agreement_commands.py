"""The commands about agreement, run in this process on one small campaign."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.builders import campaign_with_people
from workbench.cli.main import workbench
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments

Run = Callable[..., str]


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    """X and Y judged twelve pairs of T1 alike but for one, X alone forty of T2, a machine all of T1."""
    folder = tmp_path_factory.mktemp("agreement")
    (folder / "workbench.sqlite3").write_bytes(migrated_sqlite.read_bytes())
    database = Database(f"sqlite:///{folder / 'workbench.sqlite3'}")
    with database.writing() as db:
        made = campaign_with_people(db)
        both = [("T1", f"n{number:02}", number % 2) for number in range(12)]
        said = [Judgment("X", *one) for one in both] + [Judgment("Y", *one) for one in both[1:]]
        said += [Judgment("Y", "T1", "n00", 1)]
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
    # 11 of 12 agree; 11 + 2 of 24 grades... X has 6 relevant, Y 7: (11/12 - .5035) / (1 - .5035) = .8322.
    found = as_json(run("campaign", "agreement-topics", "harbour", "--json", "--rounds", "50"))
    (row,) = found["rows"]
    chance = (13 / 24) ** 2 + (11 / 24) ** 2
    assert row["pooled"] == pytest.approx((11 / 12 - chance) / (1 - chance))
    assert (row["topic"], row["n"], row["disputed"]) == ("T1", 12, 1)
    assert row["interval"] == "bootstrap over pairs, expanded percentiles"
    assert found["topics_without_pairs"] == ["T2"]
    table = run("campaign", "agreement-topics", "harbour", "--csv", "--rounds", "50")
    assert float(next(csv.DictReader(table.splitlines()))["pooled"]) == row["pooled"]
    assert "T1\t12\t1\t0.917\t0.832" in run("campaign", "agreement-topics", "harbour", "--rounds", "50")


def test_an_overlap_is_planned_without_a_campaign() -> None:
    done = CliRunner().invoke(
        workbench, ["plan-overlap", "--kappa", "0.5", "--shares", "0.5", "--half-width", "0.1", "--json"]
    )
    assert done.exit_code == 0
    found = as_json(done.output)
    # (1.96 / .1)^2 (1 - .5^2) = 288.1; of topics of one pair t stands for z, 1.968.
    assert [one["pairs"] for one in found["draws"]] == [289, 289, 291]
    assert found["draws"][0]["simulated"]["coverage"] == pytest.approx(0.95, abs=0.03)
    # Of three who agree by chance alone the variance of one pair is 1/3: (1.96 / .1)^2 / 3 = 128.05.
    options = ["--kappa", "0", "--shares", "0.5", "--half-width", "0.1", "--assessors", "3"]
    three = as_json(CliRunner().invoke(workbench, ["plan-overlap", *options, "--json"]).output)
    assert (three["assessors"], three["draws"][0]["pairs"]) == (3, 129)
    said = CliRunner().invoke(workbench, ["plan-overlap", *options]).output
    assert "pooled kappa 0.000 of 3 assessors per pair expected" in said
    options = ["--coefficient", "gwet", "--weights", "linear", "--missing", "0.1", "--shares", "0.2 0.3 0.5"]
    said = CliRunner().invoke(workbench, ["plan-overlap", *options, "--assessors", "4"]).output
    assert "Gwet's AC2 with linear weights" in said
    for shares in ("few", ""):
        wrong = CliRunner().invoke(workbench, ["plan-overlap", "--kappa", "1", "--shares", shares])
        assert wrong.exit_code == 2
        assert "give numbers" in wrong.output


def test_a_plan_comes_as_csv_and_latex_with_its_seed(run: Run) -> None:
    options = ["plan-overlap", "--kappa", "0.5", "--shares", "0.5", "--half-width", "0.1", "--seed", "3"]
    said = CliRunner().invoke(workbench, [*options, "--csv"]).output
    rows = list(csv.DictReader(said.splitlines()))
    assert [(row["draw"], row["pairs"], row["seed"]) for row in rows] == [
        ("random", "289", "3"), ("label", "289", "3"), ("topic", "291", "3"),
    ]  # fmt: skip
    latex = CliRunner().invoke(workbench, [*options, "--latex"]).output
    assert "At random & 289 & --" in latex
    assert "seed 3." in latex
    # 1.96 sqrt(.75 / 100).
    assert r"100 & $\pm$ 0.170 &" in latex
    both = CliRunner().invoke(workbench, [*options, "--csv", "--latex"])
    assert both.exit_code == 2
    of_campaign = run("campaign", "plan-overlap", "harbour", "--half-width", "0.2", "--latex")
    assert of_campaign.count(r"\begin{tabular}") == 2
    assert run("campaign", "plan-overlap", "harbour", "--csv").startswith("draw,coefficient,value,")


def test_an_overlap_is_planned_from_the_campaign_and_drawn(run: Run) -> None:
    found = as_json(run("campaign", "plan-overlap", "harbour", "--half-width", "0.2", "--json"))
    assert (found["source"], found["doubly_judged"], found["to_draw_from"]) == ("guessed", 12, 40)
    weighted = as_json(run("campaign", "plan-overlap", "harbour", "--weights", "linear", "--json"))
    assert weighted["weights"] == "nominal"  # two grades have but one weight
    words = run("campaign", "plan-overlap", "harbour", "--half-width", "0.2")
    assert "40 pairs are judged by one person" in words
    drawn = as_json(
        run(
            *("campaign", "draw-overlap", "harbour", "--pairs", "10", "--assessor", "Ben"),
            *("--seed", "4", "--name", "again", "--json"),
        )
    )
    assert (drawn["pool"], drawn["pairs"], sum(drawn["by_first_label"])) == ("again", 10, 10)
    left = as_json(run("campaign", "plan-overlap", "harbour", "--json"))["to_draw_from"]
    assert left == 30


def test_a_machine_is_compared_with_people(run: Run) -> None:
    found = as_json(run("campaign", "agreement-machines", "harbour", "--json", "--rounds", "20"))
    # The robot says what X says; Y differs on n00, where people are tied.
    rows = {(row["against"], row["person"]): row for row in found["rows"]}
    assert (rows["majority", None]["n"], rows["majority", None]["observed"]) == (11, 1.0)
    assert rows["person", "Y"]["observed"] == pytest.approx(11 / 12)
    assert rows["person", "Y"]["interval"] == "bootstrap over pairs, expanded percentiles"
    assert found["majority"] == {"robot": {"tied": 1, "one_person": 0}}
    assert "robot\tperson\tX\t12" in run("campaign", "agreement-machines", "harbour", "--rounds", "20")


COMMANDS = ["self-consistency", "agreement-machines", "agreement-topics"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_report_says_by_which_line_and_from_which_resamples(run: Run, command: str) -> None:
    words = ("campaign", command, "harbour", "--rounds", "7", "--seed", "3", "--json")
    found = as_json(run(*words))
    assert [found[name] for name in ("relevant_from", "graded", "rounds", "seed")] == [1, False, 7, 3]
    graded = as_json(run(*words, "--graded"))
    assert (graded["relevant_from"], graded["graded"]) == (1, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_report_comes_as_tables_of_latex(run: Run, command: str) -> None:
    latex = run("campaign", command, "harbour", "--rounds", "7", "--seed", "3", "--latex")
    assert latex.startswith("% needs \\usepackage{booktabs,longtable}\n")
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") > 0


def test_latex_has_the_figures_with_their_intervals_and_seed(run: Run) -> None:
    said = ("--rounds", "7", "--seed", "3", "--latex")
    topics = run("campaign", "agreement-topics", "harbour", *said)
    assert "T1 & 12 & 1 & 0.917 [" in topics
    assert "7 rounds, seed 3." in topics
    machines = run("campaign", "agreement-machines", "harbour", *said)
    assert "robot & majority of people & 11 & 1 & 1.000" in machines
    assert "robot & Y & 12 & 1 & 0.917 [" in machines


@pytest.mark.parametrize("command", COMMANDS)
def test_every_csv_says_how_and_from_which_seed_its_intervals_are(run: Run, command: str) -> None:
    said = run("campaign", command, "harbour", "--rounds", "7", "--seed", "3", "--csv").splitlines()
    assert said[0].endswith("undefined,would_define,interval,level,rounds,seed")
    assert all(line.endswith(",7,3") for line in said[1:])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_report_has_one_form_at_a_time(command: str) -> None:
    done = CliRunner().invoke(workbench, ["campaign", command, "harbour", "--csv", "--json"])
    assert done.exit_code == 2
    assert "exclude one another" in done.output


def test_what_needs_events_of_the_screen_says_nothing_of_files(run: Run) -> None:
    assert as_json(run("campaign", "self-consistency", "harbour", "--json"))["rows"] == []
    assert run("campaign", "self-consistency", "harbour", "--csv").startswith("assessor,")
