"""Commands that read files wait for nothing that only a database or the web needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.releases.made import small_release, write_release
from workbench.cli.main import COMMANDS

DATABASE = {
    *(
        "demo",
        "init",
        "serve",
        "worker",
        "campaign",
        "account",
        "backup",
        "restore",
        "verify",
        "trail",
        "token",
        "mail",
        "openid",
    ),
}
OFTEN = {"agree", "check", "help", "pool", "score"}
HEAVY = ("sqlalchemy", "alembic", "flask", "psycopg")
RUN = "".join(f"{topic} Q0 {{0}} 1 2 {{2}}\n{topic} Q0 {{1}} 2 1 {{2}}\n" for topic in ("T1", "T2"))
JUDGED = "topic\tdoc\tassessor\tgrade\nT1\td1\tann\t0\nT1\td1\tbea\t1\nT1\td2\tann\t1\nT1\td2\tbea\t1\n"
INPUTS = {
    "check": ["one.run"],
    "pool": ["one.run", "two.run"],
    "analyse": ["one.run", "two.run"],
    "plan": ["one.run", "two.run"],
    "agree": ["--judgments", "judged.tsv"],
    "consensus": ["judged.tsv"],
    "sample-size": [],
    "score": ["qrels", "one.run"],
    "compare": ["qrels", "one.run", "two.run"],
    "pairs": ["qrels", "one.run", "two.run"],
    "topics": ["qrels", "one.run", "two.run"],
    "curve": ["gain", "qrels", "one.run"],
    "convert": ["one.run", "one.csv"],
    "simulate": ["docs.jsonl", "qrels", "topics.jsonl"],
    "search": ["docs.jsonl", "tides"],
    "trust": ["judges", "one.run", "two.run", "-j", "judged.tsv"],
    "release": ["check", "release.zip"],
    "deploy": ["systemd"],
    "help": [],
}
# What was imported is told on the error stream as the process ends.
SCRIPT = (
    "import atexit, sys\n"
    "packages = lambda: sorted({'.'.join(name.split('.')[:n]) for name in sys.modules for n in (1, 2)})\n"
    "atexit.register(lambda: print('imported', *packages(), file=sys.stderr))\n"
    "from workbench.cli.main import main\n"
    "sys.argv = ['workbench', *sys.argv[1:]]\n"
    "main()\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.run").write_text(RUN.format("d1", "d2", "one"))
    (tmp_path / "two.run").write_text(RUN.format("d2", "d1", "two"))
    (tmp_path / "judged.tsv").write_text(JUDGED)
    (tmp_path / "qrels").write_text("T1 0 d1 1\nT2 0 d1 1\n")
    (tmp_path / "docs.jsonl").write_text('{"id": "d1", "text": "tides"}\n{"id": "d2", "text": "the tides"}\n')
    (tmp_path / "topics.jsonl").write_text('{"id": "T1", "title": "tides"}\n')
    (tmp_path / "release.zip").write_bytes(write_release(small_release()))
    return tmp_path


def imported(folder: Path, *words: str) -> set[str]:
    """The packages that a command has imported when it is done, and what is right inside them."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    "command",
    # Each is a process of its own, which imports all that it needs anew.
    [
        name if name in OFTEN else pytest.param(name, marks=pytest.mark.slow)
        for name in sorted(COMMANDS.keys() - DATABASE)
    ],
)
def test_a_command_on_files_imports_no_database_and_no_web(folder: Path, command: str) -> None:
    found = imported(folder, command, *INPUTS[command])
    assert "click" in found
    assert found.isdisjoint(HEAVY)
    if command in {"agree", "check", "curve", "help", "sample-size", "pool", "score", "topics"}:
        assert found.isdisjoint({"scipy", "rich", "workbench.demo"})
    # The order of a matrix of many assessors needs it, and takes longer to import than everything else.
    assert "scipy.cluster" not in found


def test_the_list_of_commands_waits_for_none_of_them(folder: Path) -> None:
    assert imported(folder, "--help").isdisjoint({*HEAVY, "numpy", "scipy", "rich", "workbench.demo"})


@pytest.mark.parametrize("command", ["agree", "sample-size"])
def test_the_help_of_a_command_waits_for_no_scipy(folder: Path, command: str) -> None:
    assert imported(folder, command, "--help").isdisjoint({*HEAVY, "scipy", "rich"})
