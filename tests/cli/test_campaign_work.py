"""Runs, pools, disputes and rules of a campaign as tables for people, and what is refused of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import run_text
from tests.cli.executable import Terminal
from workbench.errors import Unavailable

# Both judged d1 and d2 of T1, and differ on d2: from grade 2 it is relevant for Una alone.
JUDGED = "topic\tdoc\tassessor\tgrade\nT1\td1\tEve\t3\nT1\td2\tEve\t0\nT1\td1\tUna\t3\nT1\td2\tUna\t2\n"


@pytest.fixture
def judged(populated: Terminal) -> Terminal:
    populated.does("campaign", "import", "harbour", "-", stdin=JUDGED.encode())
    return populated


def rows(printed: bytes) -> list[list[str]]:
    return [line.split("\t") for line in printed.decode().splitlines()]


def test_opening_tells_what_is_judged_shared_changed_or_without_text(
    judged: Terminal, tmp_path: Path
) -> None:
    judged.does("campaign", "pool", "harbour", "--depth", "3", "--name", "deeper", "--draft")
    (tmp_path / "alpha.txt").write_bytes(run_text("alpha", {"T1": ("d1", "zz"), "T2": ("d/4", "d1")}))
    judged.does("campaign", "runs", "harbour", tmp_path / "alpha.txt", "--replace")
    waiting = judged.run("campaign", "pool-open", "harbour", "deeper", stdin=b"n\n")
    assert waiting.returncode == 130
    told = waiting.stderr.decode().splitlines()
    # Eve and Una judged two pairs of the draft; depth 2 has six of its pairs.
    assert "2 of its pairs are already judged" in told
    assert "6 of its pairs are in depth 2 (open)" in told
    assert "run alpha was replaced since: make the pool anew, or rebuild the draft on its page" in told
    judged.does("campaign", "pool-open", "harbour", "deeper", "--yes")
    # The new version of alpha brings zz, which nobody has loaded.
    judged.does("campaign", "pool", "harbour", "--depth", "3", "--name", "anew", "--draft")
    opened = judged.run("campaign", "pool-open", "harbour", "anew", "--yes")
    assert "1 of its documents have no text yet" in opened.stderr.decode().splitlines()
    judged.does("campaign", "pool-close", "harbour", "deeper", "--yes")
    assert judged.does("campaign", "pool-close", "harbour", "deeper") == b"deeper is already closed\n"
    three = judged.run("campaign", "pool-compare", "harbour", "deeper", "depth 2", "depth 2")
    assert (three.returncode, b"name two pools, or one" in three.stderr) == (2, True)


def test_disputes_and_decisions_are_tables(judged: Terminal) -> None:
    listed = judged.run("campaign", "adjudication", "disputes", "harbour")
    (heading, line) = rows(listed.stdout)
    assert heading == ["topic", "doc", "state", "answers", "distance", "swaps", "shift", "grade"]
    assert line[:4] == ["T1", "d2", "open", "Eve: 0; Una: 2"]
    assert line[-1] == ""
    assert listed.stderr == b"0 of 1 settled\n"
    decided = judged.does(
        "campaign", "adjudication", "decide", "harbour", "-", stdin=b"topic\tdoc\tgrade\nT1\td2\t2\n"
    )
    assert rows(decided)[1] == ["standard input", "1", "1", "0", "0"]


def test_forms_of_qrels_and_of_their_rules_that_exclude_one_another(judged: Terminal, tmp_path: Path) -> None:
    for words, said in ((("qrels", "harbour", "--export", "groups", "--json"), b"leave out --json"),):
        done = judged.run("campaign", *words)
        assert (done.returncode, said in done.stderr) == (2, True)
    file = tmp_path / "qrels"
    told = judged.json("campaign", "qrels", "harbour", "--rule", "any", "-o", file)
    assert told["lines"] == 2
    assert file.read_text() == "T1 0 d1 3\nT1 0 d2 2\n"


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["in words", "as JSON"])
def test_a_database_that_does_not_respond_is_no_traceback(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise Unavailable("it is locked")

    monkeypatch.setattr("workbench.cli.campaign.campaigns.all_campaigns", fails)
    done = terminal.run("campaign", "list", *options)
    assert done.returncode == 1
    if options:
        (error,) = json.loads(done.stdout)["errors"]
        told = f"{error['message']} ({error['remedy']})"
    else:
        told = done.stderr.decode().removeprefix("workbench: ").strip()
    assert told == "the database does not respond: it is locked (try again later)"
