"""The run desk by commands: rules, the collection's list, checking without keeping, adding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import new_instance
from workbench.cli.campaign import command

RUN = "T1 Q0 d1 1 2 {0}\nT1 Q0 d2 2 1 {0}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, migrated_sqlite: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(new_instance(tmp_path / "instance", migrated_sqlite)))
    (tmp_path / "topics.tsv").write_text("T1\ttides\n", encoding="utf-8")
    for tag in ("one", "two"):
        (tmp_path / f"{tag}.run").write_text(RUN.format(tag), encoding="utf-8")
    (tmp_path / "bad.run").write_text("T1 Q0 d1 1 x bad\n", encoding="utf-8")
    assert campaign("new", "Small").exit_code == 0
    assert campaign("topics", "small", "topics.tsv").exit_code == 0
    return tmp_path


def campaign(*words: str) -> Result:
    return CliRunner().invoke(command, words)


@pytest.mark.usefixtures("folder")
def test_checking_tells_what_adding_would_and_keeps_nothing() -> None:
    result = campaign("check", "small", "one.run", "two.run", "bad.run")
    assert result.exit_code == 1
    assert [line.split("\t")[-1] for line in result.stdout.splitlines()] == [
        "verdict",
        "good",
        "good with warnings",
        "refused",
    ]
    assert 'warning: two.run: every ranking is identical to that of the file "one.run"' in result.stderr
    assert 'error: bad.run:1, column 5: the score "x"' in result.stderr
    assert json.loads(campaign("show", "small", "--json").stdout)["runs"] == 0
    added = campaign("runs", "small", "one.run", "two.run", "bad.run")
    assert added.exit_code == 1
    assert json.loads(campaign("show", "small", "--json").stdout)["runs"] == 2
    told = json.loads(campaign("check", "small", "one.run", "--json").stdout)[0]
    assert [error["code"] for error in told["errors"]] == ["same-file"]


@pytest.mark.usefixtures("folder")
def test_rules_are_shown_changed_and_held() -> None:
    shown = json.loads(campaign("rules", "small", "--json").stdout)
    assert (shown["max_per_topic"], shown["codes"]["ties"]) == (None, "warning")
    changed = campaign("rules", "small", "--max-per-topic", "1", "--rules", "strict", "--json")
    assert json.loads(changed.stdout)["max_per_topic"] == 1
    assert "has 2 documents, more than 1" in campaign("check", "small", "one.run").stderr
    assert campaign("runs", "small", "one.run").exit_code == 1
    kept = json.loads(campaign("rules", "small", "--max-per-topic", "none", "--json").stdout)
    assert (kept["max_per_topic"], kept["rule_set"], kept["codes"]["rank"]) == (None, "strict", "error")
    assert campaign("runs", "small", "one.run").exit_code == 0
    assert "rules: strict" in campaign("rules", "small").stderr
    limits = ("--max-per-group", "3", "--last-day", "2026-12-31")
    shown = json.loads(campaign("rules", "small", *limits, "--json").stdout)
    assert (shown["max_per_group"], shown["last_day"], shown["rule_set"]) == (3, "2026-12-31", "strict")
    assert "groups can send runs until 2026-12-31 (UTC)" in campaign("rules", "small").stderr
    assert "write it as 2026-12-31" in campaign("rules", "small", "--last-day", "soon").stderr
    open_end = json.loads(campaign("rules", "small", "--last-day", "none", "--json").stdout)
    assert (open_end["max_per_group"], open_end["last_day"]) == (3, None)


def test_the_list_of_docnos_is_given_shown_and_removed(folder: Path) -> None:
    (folder / "ids").write_text("d1\nd3\n", encoding="utf-8")
    assert "no list" in campaign("docids", "small").stdout
    told = json.loads(campaign("docids", "small", "ids", "--json").stdout)["list"]
    assert (told["docnos"], told["file"]) == (2, "ids")
    assert 'one.run:2, column 3: document "d2" is not in the' in campaign("check", "small", "one.run").stderr
    assert campaign("docids", "small", "--remove").exit_code == 0
    assert campaign("check", "small", "one.run").exit_code == 0
    assert campaign("docids", "small", "ids", "--remove").exit_code == 2
