"""Groups whose commands are imported when they are used."""

from __future__ import annotations

import re

import click
from click.testing import CliRunner

from workbench.cli.main import COMMANDS, workbench


def test_every_command_of_the_program_is_listed_with_the_first_sentence_of_its_help() -> None:
    context = click.Context(workbench)
    told = CliRunner().invoke(workbench, ["--help"], terminal_width=400).output
    rows = dict(line.split(maxsplit=1) for line in told.partition("Commands:\n")[2].splitlines())
    assert list(rows) == list(COMMANDS)
    for name, said in rows.items():
        found = workbench.get_command(context, name)
        assert found is not None
        # The list is read from the source, this one from the imported command.
        assert found.get_short_help_str(500)[:40] == said[:40]


def test_every_command_has_a_whole_sentence_however_narrow_the_terminal() -> None:
    for group in (("campaign",), ("campaign", "release"), ("account",)):
        told = CliRunner().invoke(workbench, [*group, "--help"], terminal_width=60).output
        listed = told.partition("Commands:\n")[2]
        assert "..." not in listed
        assert len(re.findall(r"\.$", listed, re.MULTILINE)) >= len(
            re.findall(r"^  [a-z]", listed, re.MULTILINE)
        )
