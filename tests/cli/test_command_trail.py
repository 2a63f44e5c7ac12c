"""What commands leave in the audit trail: an entry for each that changes something, none for the others."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from tests.cli.executable import Terminal

TOPICS = '{"id": "T1", "title": "tides"}\n{"id": "T2", "title": "harbours"}\n'


def entries(terminal: Terminal) -> list[dict[str, Any]]:
    return list(reversed(json.loads(terminal.does("trail", "--json"))))


@pytest.mark.usefixtures("cheap_passwords")
def test_each_command_that_changes_something_leaves_an_entry_of_its_user(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_PASSWORD", "the tide comes twice")
    (tmp_path / "topics.jsonl").write_text(TOPICS)
    terminal.does("init", "--login", "olga")
    terminal.does("campaign", "new", "Harbour", "--organiser", "olga")
    terminal.does("campaign", "topics", "harbour", str(tmp_path / "topics.jsonl"))
    terminal.does("account", "new", "ada")
    terminal.does("account", "role", "ada", "harbour", "assessor")
    reading = (("campaign", "list"), ("campaign", "show", "harbour"), ("account", "list"), ("trail",))
    for words in reading:
        terminal.does(*words)
    refused = terminal.run("account", "disable", "olga")
    assert refused.returncode == 1
    found = entries(terminal)
    assert [(one["act"], one["campaign"]) for one in found] == [
        ("command init", ""),
        ("command campaign new", ""),
        ("command campaign topics", "harbour"),
        ("command account new", ""),
        ("command account role", "harbour"),
    ]
    assert {one["who"] for one in found} == {f"command line, {pwd.getpwuid(os.getuid()).pw_name}"}
    assert found[2]["act_name"] == "workbench campaign topics"
    assert {"member", "assessor"} <= {each["table"] for each in found[4]["details"]["changes"]}


def test_all_but_the_first_transaction_of_a_command_are_summed_up(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.workflow.campaigns.collection.BATCH", 2)
    lines = (json.dumps({"id": f"d{number}", "text": "tides"}) for number in range(7))
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    terminal.does("campaign", "new", "Harbour")
    terminal.does("campaign", "documents", "harbour", str(tmp_path / "docs.jsonl"))
    _, first, rest = entries(terminal)
    assert first["act"] == rest["act"] == "command campaign documents"
    assert "further_transactions" not in first["details"]["asked"]
    assert rest["details"]["asked"]["further_transactions"] >= 3
    assert terminal.json("verify")["findings"] == []


def test_entries_are_lines_with_what_was_changed_and_can_be_chosen(populated: Terminal) -> None:
    populated.does("campaign", "groups", "harbour", "North")
    populated.does("account", "disable", "ada")
    disabled, added = populated.does("trail").decode().splitlines()
    assert "workbench account disable" in disabled
    assert "1 account changed" in disabled
    assert "workbench campaign groups" in added
    assert "harbour" in added
    assert "1 run_group added" in added
    assert populated.does("trail", "--last", "1").decode().splitlines() == [disabled]
    assert populated.does("trail", "--campaign", "harbour").decode().splitlines() == [added]
    assert populated.does("trail", "--act", "disable").decode().splitlines() == [disabled]
    assert populated.does("trail", "--login", "ada") == b""
