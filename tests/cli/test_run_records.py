"""Groups of runs and their records by commands."""

from __future__ import annotations

from pathlib import Path

from tests.builders import ALPHA, BETA, run_text
from tests.cli.executable import Terminal


def test_runs_are_sent_by_groups_and_replaced_by_commands(terminal: Terminal, tmp_path: Path) -> None:
    def file(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run(*words: str) -> bytes:
        return terminal.does("campaign", *words)

    run("new", "Small")
    run("topics", "small", file("topics.tsv", "T1\ttides\nT2\tnets\n"))
    heading, north, south = run("groups", "small", "North", "South").decode().splitlines()
    assert heading.split("\t") == ["group", "runs", "received", "people"]
    assert (north.split("\t")[0], south.split("\t")[0]) == ("North", "South")
    said = ("--group", "north", "--kind", "manual", "--priority", "2", "--description", "by hand")
    costs = ("--seconds-per-query", "0.5")
    run("runs", "small", file("alpha.txt", run_text("alpha", ALPHA)), *said, *costs)
    run("runs", "small", file("beta.txt", run_text("beta", BETA)))
    listed = terminal.json("campaign", "run", "list", "small")
    assert [(one["tag"], one["group"], one["kind"], one["priority"], one["verdict"]) for one in listed] == [
        ("alpha", "North", "manual", 2, "accepted"),
        ("beta", None, None, None, "accepted"),
    ]
    of_north = terminal.json("campaign", "run", "list", "small", "--group", "north")
    assert [one["tag"] for one in of_north] == ["alpha"]

    assert terminal.json("campaign", "pool", "small", "--depth", "1")["runs"].keys() == {"alpha", "beta"}
    newer = file("newer.txt", run_text("alpha", {"T1": ("d6",)}))
    assert terminal.run("campaign", "runs", "small", newer).returncode == 1
    run("runs", "small", newer, "--replace")
    shown = terminal.json("campaign", "run", "show", "small", "alpha")
    assert (shown["lines"], shown["description"], shown["pools"][0]["earlier_version"]) == (
        1,
        "by hand",
        True,
    )
    assert [one["lines"] for one in shown["earlier_versions"]] == [7]
    assert (shown["seconds_per_query"], shown["index_bytes"]) == (0.5, None)
    assert b"depth 1 (earlier version)" in run("run", "show", "small", "alpha")

    groups = terminal.json("campaign", "groups", "small")
    assert [(one["group"], one["runs"]) for one in groups] == [("North", 1), ("South", 0)]
    twice = terminal.run("campaign", "groups", "small", "East", "north")
    assert twice.returncode == 1
    assert terminal.json("campaign", "groups", "small") == groups
