"""README is short, and what it names is there."""

from __future__ import annotations

import re

import click

from tests.tree import ROOT
from workbench.cli.main import workbench

README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_BYTES = 7 * 1024


def subcommands(group: click.Group, name: str) -> set[str]:
    command = group.get_command(click.Context(group), name)
    assert isinstance(command, click.Group)
    return set(command.list_commands(click.Context(command)))


def test_readme_is_read_in_one_go() -> None:
    assert len(README.encode("utf-8")) <= MOST_BYTES


def test_files_that_readme_links_or_shows_are_there() -> None:
    named = re.findall(r"\]\((?!https?:)([^)#]+)", README) + re.findall(r'(?:src|srcset)="([^"]+)"', README)
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_commands_that_readme_gives_exist() -> None:
    commands = set(re.findall(r"^workbench ([a-z-]+)", README, re.MULTILINE)) | {"demo", "help"}
    assert commands <= set(workbench.list_commands(click.Context(workbench)))
    campaign = set(re.findall(r"^workbench campaign ([a-z-]+)", README, re.MULTILINE))
    assert campaign
    assert campaign <= subcommands(workbench, "campaign")


def test_what_takes_longer_than_the_suite_is_named_with_its_benchmarks() -> None:
    (line,) = [one for one in README.splitlines() if "tests.benchmarks.NAME" in one]
    named = [name.strip() for name in line.partition("#")[2].split(",")]
    benchmarks = (ROOT / "tests" / "benchmarks").glob("*.py")
    assert set(named) == {path.stem for path in benchmarks if "parser = argparse" in path.read_text()}
    assert "\n.venv/bin/pytest -m slow " in README
    assert "WALK=whole" in README
