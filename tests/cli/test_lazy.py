"""Groups whose commands are imported when they are used."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from workbench.cli.main import COMMANDS, LazyGroup, workbench

PARTS = {
    "score": "workbench.cli.score:score",
    # A group of its own, which is no function with a docstring.
    "release": "workbench.cli.release:command",
}


def group(**parts: str) -> LazyGroup:
    return LazyGroup("some", parts=PARTS | parts, help="Some commands.")


def test_the_list_says_of_each_command_what_it_does_and_keeps_its_order() -> None:
    told = CliRunner().invoke(group(), ["--help"]).output
    listed = told.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == ["score", "release"]
    assert all(len(line.split()) > 3 for line in listed)


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


def test_a_command_that_is_no_function_of_its_module_is_imported_for_the_list() -> None:
    # Imported there from another module, whose source is not looked at.
    made = group(again="tests.cli.test_lazy:workbench")
    told = CliRunner().invoke(made, ["--help"], terminal_width=300).output
    assert told.splitlines()[-1].split(maxsplit=1) == ["again", workbench.get_short_help_str(200)]


def test_an_unknown_name_is_no_command() -> None:
    assert group().get_command(click.Context(group()), "scores") is None
    done = CliRunner().invoke(group(), ["scores"])
    assert (done.exit_code, "No such command 'scores'" in done.output) == (2, True)


def test_what_is_registered_and_no_command_is_an_error_of_ours() -> None:
    with pytest.raises(TypeError, match=r"workbench\.cli\.main:Path is not a command"):
        CliRunner().invoke(group(path="workbench.cli.main:Path"), ["path"], catch_exceptions=False)
