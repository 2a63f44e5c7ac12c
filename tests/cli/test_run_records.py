"""Groups, records and verdicts by commands."""

from __future__ import annotations

from pathlib import Path

from tests.builders import ALPHA, BETA, run_text
from tests.cli.executable import Terminal


def test_runs_are_grouped_judged_and_replaced_by_commands(terminal: Terminal, tmp_path: Path) -> None:
    def file(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run(*words: str) -> bytes:
        return terminal.does("campaign", *words)

    run("new", "Small")
    run("topics", "small", file("topics.tsv", "T1\ttides\nT2\tnets\n"))
    assert run("group", "add", "small", "North", "South") == b"2 groups created\n"
    run("runs", "small", file("alpha.txt", run_text("alpha", ALPHA)), "--group", "north", "--kind", "manual")
    run("runs", "small", file("beta.txt", run_text("beta", BETA)))
    run("run", "edit", "small", "alpha", "--priority", "2", "--description", "by hand")
    run("run", "edit", "small", "alpha", "--seconds-per-query", "0.5", "--index-bytes", "7")
    run("run", "edit", "small", "alpha", "--index-bytes", "")
    assert b"0 of 1" not in run("run", "set-aside", "small", "beta", "--reason", "broken")
    listed = terminal.json("campaign", "run", "list", "small")
    said = [(one["tag"], one["group"], one["kind"], one["priority"], one["verdict"]) for one in listed]
    assert said == [("alpha", "North", "manual", 2, "accepted"), ("beta", None, None, None, "set_aside")]
    assert [one["tag"] for one in terminal.json("campaign", "run", "list", "small", "--group", "north")] == [
        "alpha"
    ]

    assert terminal.json("campaign", "pool", "small", "--depth", "1")["runs"].keys() == {"alpha"}
    newer = file("newer.txt", run_text("alpha", {"T1": ("d6",)}))
    assert terminal.run("campaign", "runs", "small", newer).returncode == 1
    run("run", "replace", "small", "alpha", newer)
    shown = terminal.json("campaign", "run", "show", "small", "alpha")
    assert (shown["lines"], shown["description"], shown["pools"][0]["earlier_version"]) == (
        1,
        "by hand",
        True,
    )
    assert [one["lines"] for one in shown["earlier_versions"]] == [7]
    assert (shown["seconds_per_query"], shown["index_bytes"]) == (0.5, None)
    assert b"depth 1 (earlier version)" in run("run", "show", "small", "alpha")
    assert run("run", "accept", "small", "beta", "alpha") == b"1 of 2 newly accepted\n"

    run("group", "add", "small", "East")
    run("run", "edit", "small", "beta", "--group", "East")
    groups = terminal.json("campaign", "group", "list", "small")
    assert [(one["group"], one["runs"]) for one in groups] == [("East", 1), ("North", 1), ("South", 0)]
    run("group", "rename", "small", "South", "West")
    run("group", "remove", "small", "west")
    assert terminal.run("campaign", "group", "remove", "small", "East").returncode == 1
