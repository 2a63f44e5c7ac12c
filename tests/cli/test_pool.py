"""`workbench pool`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.cli.executable import run_file, workbench, workbench_process
from tests.support import shared
from workbench.cli.pool import pool
from workbench.pooling.strategies import ADAPTIVE, STRATEGIES


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    one = run_file(tmp_path, "one", {"2": "d1 d2 d3", "10": "d9"})
    two = run_file(tmp_path, "two", {"2": "d3 d1"})
    return [str(one), str(two)]


def test_the_pool_is_printed_as_topics_and_docnos_and_nothing_else(runs: list[str]) -> None:
    done = workbench_process("pool", *runs, "--depth", "1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"10\td9\n2\td1\n2\td3\n"


def test_the_depth_is_a_hundred_unless_another_is_given(runs: list[str], tmp_path: Path) -> None:
    long = run_file(tmp_path, "long", {"1": " ".join(f"d{at:03}" for at in range(120))})
    said = CliRunner().invoke(pool, [str(long)]).stdout.splitlines()
    assert said == [f"1\td{at:03}" for at in range(100)]


def test_json_names_the_runs_that_brought_each_document(runs: list[str]) -> None:
    said = json.loads(CliRunner().invoke(pool, [*runs, "--depth=2", "--json"]).stdout)
    assert said == [
        {"topic": "10", "docno": "d9", "runs": [{"tag": "one", "rank": 1}]},
        {"topic": "2", "docno": "d1", "runs": [{"tag": "one", "rank": 1}, {"tag": "two", "rank": 2}]},
        {"topic": "2", "docno": "d2", "runs": [{"tag": "one", "rank": 2}]},
        {"topic": "2", "docno": "d3", "runs": [{"tag": "two", "rank": 1}]},
    ]


@pytest.mark.parametrize(
    ("ties", "docno"), [([], "d3"), (["--ties=docno-ascending"], "d1"), (["--ties=file"], "d2")]
)
def test_the_tie_rule_can_be_chosen(ties: list[str], docno: str, tmp_path: Path) -> None:
    tied = tmp_path / "tied.run"
    tied.write_text("".join(f"1 Q0 {name} 1 5.0 tied\n" for name in ("d2", "d3", "d1")))
    assert CliRunner().invoke(pool, [str(tied), "--depth=1", *ties]).stdout == f"1\t{docno}\n"


def test_runs_may_be_gzip_and_come_from_the_standard_input(runs: list[str], tmp_path: Path) -> None:
    packed = tmp_path / "one.run.gz"
    packed.write_bytes(gzip.compress(Path(runs[0]).read_bytes()))
    plain = workbench("pool", *runs)
    assert workbench("pool", packed, "-", given=Path(runs[1]).read_bytes()).stdout == plain.stdout
    assert workbench("pool", "-", runs[1], given=packed.read_bytes()).stdout == plain.stdout


def test_the_standard_input_is_one_run_only() -> None:
    done = workbench("pool", "-", "-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"standard input can be used for one file only" in done.stderr


def test_ids_come_out_as_the_bytes_that_went_in(tmp_path: Path) -> None:
    run = tmp_path / "bytes.run"
    run.write_bytes(b"MB\xff Q0 d\x80#/:\xc3\xa9 1 2.0 t\n")
    assert workbench_process("pool", run).stdout == b"MB\xff\td\x80#/:\xc3\xa9\n"
    (entry,) = json.loads(workbench("pool", run, "--json").stdout)
    assert entry["docno"].encode("utf-8", "surrogateescape") == b"d\x80#/:\xc3\xa9"


def test_refused_runs_are_told_all_at_once_and_nothing_is_printed(runs: list[str], tmp_path: Path) -> None:
    short, bad = tmp_path / "short.run", tmp_path / "bad.run"
    short.write_text("1 Q0 d1 1 2.0 short\n1 Q0 d2 2 short\n")
    bad.write_text("1 Q0 d1 1 high bad\n1 Q0 d1 1 1.0 bad\n")
    done = workbench("pool", runs[0], short, tmp_path / "absent.run", bad, runs[1])
    assert (done.returncode, done.stdout) == (1, b"")
    said = done.stderr.decode().splitlines()
    assert len(said) == 4
    for line, expected in zip(
        said,
        (
            "short.run:2: expected 6 columns",
            "absent.run: there is no such file",
            "bad.run:1, column 5: ",
            "bad.run:2, column 3: ",
        ),
        strict=True,
    ):
        assert line.startswith("error: ")
        assert expected in line


def test_what_is_odd_about_a_run_is_said_only_when_asked_for(tmp_path: Path) -> None:
    tied = tmp_path / "tied.run"
    tied.write_text("1 Q0 d1 1 5.0 tied\n1 Q0 d2 2 5.0 tied\n")
    assert CliRunner().invoke(pool, [str(tied)]).stderr == ""
    result = CliRunner().invoke(pool, [str(tied), "--warnings"])
    assert "warning: " in result.stderr
    assert result.stdout == "1\td1\n1\td2\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--depth=0"],
        ["--depth=many"],
        ["--ties=random"],
        ["--strategy=hedge"],
        ["--strategy=rrf", "--depth=3"],
        ["--strategy=stratified", "--strata=1:10:2"],
    ],
)
def test_a_command_line_that_is_not_understood_has_exit_code_two(
    arguments: list[str], runs: list[str]
) -> None:
    assert CliRunner().invoke(pool, [*arguments, *(runs if arguments else [])]).exit_code == 2


def test_a_strategy_and_its_parameters_can_be_chosen(runs: list[str]) -> None:
    # Topic 2: d1 is at 1 and 2, d3 at 3 and 1, d2 at 2; reciprocal ranks with k = 0: 1.5, 1.33, .5.
    said = CliRunner().invoke(pool, [*runs, "--strategy=rrf", "--budget", "1", "--k", "0"])
    assert said.stdout == "10\td9\n2\td1\n"


def test_json_has_the_weight_by_which_an_entry_was_chosen(runs: list[str]) -> None:
    said = CliRunner().invoke(pool, [*runs, "--strategy=rrf", "--budget=1", "--k=0", "--json"]).stdout
    assert json.loads(said)[1] == {
        "topic": "2",
        "docno": "d1",
        "runs": [{"tag": "one", "rank": 1}, {"tag": "two", "rank": 2}],
        "weight": 1.5,
    }


def test_json_has_the_probability_and_the_stratum_of_an_entry_that_was_drawn(runs: list[str]) -> None:
    options = ["--strategy=stratified", "--strata=1:1:1 2:9:.5", "--seed=4", "--json"]
    said = json.loads(CliRunner().invoke(pool, [*runs, *options]).stdout)
    # Best ranks in topic 2: d1 and d3 at 1, d2 at 2, alone in its stratum, of which one at least is drawn.
    assert [(one["docno"], one["inclusion"], one["stratum"]) for one in said] == [
        ("d9", 1.0, 1), ("d1", 1.0, 1), ("d2", 1.0, 2), ("d3", 1.0, 1),
    ]  # fmt: skip


def test_runs_and_topics_can_have_depths_of_their_own(runs: list[str]) -> None:
    said = CliRunner().invoke(pool, [*runs, "--depth=1", "--run-depths=one=3", "--topic-depths=10=0"])
    assert said.stdout == "2\td1\n2\td2\n2\td3\n"
    refused = workbench("pool", *runs, "--run-depths=three=3")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"there is a depth for the run three, but no such run" in refused.stderr


def test_all_that_is_wrong_about_the_parameters_is_told_before_runs_are_read() -> None:
    said = CliRunner().invoke(pool, ["absent.run", "--strategy=rbp", "--p=2", "--budget=0", "--seed=1"])
    assert said.exit_code == 2
    assert "--p: p cannot be 2.0 (give 0.01 to 0.999)" in said.stderr
    assert "--budget: budget cannot be 0 (give 1 to 1,000,000)" in said.stderr
    assert '--seed: the strategy "rbp" has no parameter "seed" (choose from budget, p)' in said.stderr


def test_the_strategies_are_listed_with_their_parameters() -> None:
    said = CliRunner().invoke(pool, ["--strategies"])
    assert said.exit_code == 0
    lines = said.stdout.splitlines()
    for name, strategy in {**STRATEGIES, **ADAPTIVE}.items():
        (heading,) = (line for line in lines if line.startswith((f"{name}: ", f"{name} (")))
        assert strategy.help in heading
        assert strategy.source in heading
        assert ("while assessors judge" in heading) == (name in ADAPTIVE)
    assert (
        "  --k  how strongly the first ranks are damped (whole number, 0 or more; 60 unless given)" in lines
    )


@pytest.mark.parametrize("strategy", ["learner", "by-hand"])
def test_a_strategy_that_does_not_read_runs_leads_to_a_campaign(strategy: str, runs: list[str]) -> None:
    refused = CliRunner().invoke(pool, [*runs, "--strategy", strategy])
    assert refused.exit_code == 2
    assert f"{strategy} does not choose from runs" in refused.stderr
    assert "workbench campaign pool" in refused.stderr


def test_the_strategies_are_listed_for_programs() -> None:
    said = {
        one["name"]: one for one in json.loads(CliRunner().invoke(pool, ["--strategies", "--json"]).stdout)
    }
    assert set(said) == {*STRATEGIES, *ADAPTIVE}
    assert said["rrf"]["parameters"][1] == {
        "name": "k",
        "help": "how strongly the first ranks are damped",
        "kind": "whole number",
        "default": "60",
        "lowest": 0,
        "highest": None,
    }
    assert {name for name, one in said.items() if one["adaptive"]} == set(ADAPTIVE)


def test_every_parameter_of_every_strategy_is_an_option_with_its_help() -> None:
    options = {option.name: option for option in pool.params}
    for strategy in STRATEGIES.values():
        for parameter in strategy.parameters:
            option = options[parameter.name]
            assert isinstance(option, click.Option)
            assert parameter.description in (option.help or "")


def test_the_official_pool_of_trec_covid_comes_out_of_the_program() -> None:
    folder = shared("data", "trec-covid", "round1")
    table = (folder / "runs.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in table[1:]]
    names = [folder / "runs" / f"{row[0]}.gz" for row in rows if row[3] == "yes"]
    done = workbench("pool", *names, "--depth=7", "--ties=docno-ascending")
    official = (folder / "pool_depth7.txt").read_bytes().replace(b" ", b"\t")
    assert sorted(done.stdout.splitlines()) == sorted(official.splitlines())
    assert done.stdout.splitlines() == sorted(done.stdout.splitlines(), key=lambda line: line.split(b"\t"))
