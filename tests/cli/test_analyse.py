"""`workbench analyse` and `workbench campaign analyse`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.builders import pooled_campaign
from tests.cli.executable import new_instance, run_file, workbench
from tests.databases import opened
from workbench.cli.campaign import command as campaign
from workbench.cli.pool import analyse
from workbench.errors import InvalidInput, NotFound


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    one = run_file(tmp_path, "one", {"1": "d1 d2 d3 d4", "2": "d9"})
    two = run_file(tmp_path, "two", {"1": "d2 d5 d1"})
    return [str(one), str(two)]


def said(*words: str) -> str:
    done = CliRunner().invoke(analyse, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_every_part_is_a_table_of_its_own(runs: list[str]) -> None:
    # To depth 2 one has d1 d2 and d9, two has d2 d5: d2 is shared, of four pairs.
    assert said(*runs, "--depth=2", "--part=contributions") == (
        "run\tgroup\tpairs\talone\none\t\t3\t2\ntwo\t\t2\t1\n"
    )
    assert said(*runs, "--depth=2", "--part=overlap") == "first\tsecond\tshared\tshare\none\ttwo\t1\t0.2500\n"
    assert said(*runs, "--depth=2", "--part=topics") == (
        "topic\tpairs\tlargest_possible\tunusual\n1\t3\t4\t\n2\t1\t1\t\n"
    )
    # At depth 3 come d3, and d1 again; at 4 comes d4.
    assert said(*runs, "--depth=2", "--part=growth").splitlines()[1:] == [
        "1\t3\t3\t3", "2\t4\t1\t5", "3\t5\t1\t7", "4\t6\t1\t8",
    ]  # fmt: skip


def test_without_a_part_everything_is_said_under_titles(runs: list[str]) -> None:
    lines = said(*runs).splitlines()
    assert [line for line in lines if line.endswith((":", ": none"))] == [
        "growth:",
        "contributions of runs:",
        "most alike runs:",
        "ties across the cut: none",
        "the pool under each tie rule:",
        "topics:",
    ]


def test_json_has_everything_with_all_rows(runs: list[str]) -> None:
    found = json.loads(said(*runs, "--depth=2", "--json"))
    assert (found["depth"], found["tie_rule"], found["runs"], found["pairs"]) == (
        2, "trec_eval", ["one", "two"], 4,
    )  # fmt: skip
    assert len(found["growth"]) == 4
    assert found["overlap"] == [{"first": "one", "second": "two", "shared": 1, "share": 0.25}]
    assert [rule["pairs"] for rule in found["tie_rules"]] == [4, 4, 4]
    assert "growth" not in json.loads(said(*runs, "--json", "--part=ties"))


def test_groups_come_from_a_file_of_tags_and_groups(runs: list[str], tmp_path: Path) -> None:
    groups = tmp_path / "groups.tsv"
    groups.write_text("one\tharbour\r\n\ntwo\tharbour\n")
    part = said(*runs, "--depth=2", "--part=contributions", "--groups", str(groups))
    assert part.splitlines()[-2:] == ["group\truns\tpairs\talone", "harbour\t2\t4\t4"]
    groups.write_text("one harbour\ntwo\tquay\n\t\n")
    with pytest.raises(InvalidInput) as refused:
        said(*runs, "--groups", str(groups))
    assert [(one.line, one.code) for one in refused.value.findings] == [(1, "columns")]


def test_runs_may_come_from_the_standard_input_and_bad_ones_are_all_told(runs: list[str]) -> None:
    content = Path(runs[0]).read_bytes()
    done = CliRunner().invoke(analyse, ["-", "--part=topics"], input=io.BytesIO(content))
    assert done.stdout.splitlines()[1:] == ["1\t4\t4\t", "2\t1\t1\t"]
    refused = workbench("analyse", runs[0], runs[0], str(Path(runs[0]).parent / "none"))
    assert refused.returncode == 1
    assert refused.stdout == b""
    assert b"the file is given twice" in refused.stderr
    assert b"there is no such file" in refused.stderr


@pytest.fixture
def instance(tmp_path: Path, migrated_sqlite: Path) -> Path:
    folder = new_instance(tmp_path / "instance", migrated_sqlite)
    with opened(f"sqlite:///{folder / 'workbench.sqlite3'}") as database, database.writing() as db:
        pooled_campaign(db)
    return folder


def of_campaign(instance: Path, *words: str) -> Any:
    done = CliRunner().invoke(
        campaign,
        ["analyse", "harbour", "--instance", str(instance), "--json", *words],
        catch_exceptions=False,
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_pool_of_a_campaign_or_its_runs_are_analysed(instance: Path) -> None:
    pool = of_campaign(instance, "--pool", "depth 2")
    # By hand in tests/builders.py.
    assert (pool["depth"], pool["pairs"], pool["largest_possible"]) == (2, 6, 8)
    assert [(run["run"], run["pairs"], run["alone"]) for run in pool["contributions"]] == [
        ("alpha", 4, 2), ("beta", 4, 2),
    ]  # fmt: skip
    runs = of_campaign(instance, "--depth", "1", "--run", "beta", "--ties", "file", "--part", "topics")
    assert (runs["runs"], runs["pairs"], runs["tie_rule"]) == (["beta"], 2, "file")
    with pytest.raises(NotFound, match="there is no pool 'deep'"):
        of_campaign(instance, "--pool", "deep")
    both = CliRunner().invoke(campaign, ["analyse", "harbour", "--pool", "x", "--run", "beta"])
    assert both.exit_code == 2
    assert "--pool" in both.output
    assert "--run" in both.output
