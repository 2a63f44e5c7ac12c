"""The `workbench` command: its subcommands, and the translation of errors into exit codes.

Exit codes: 0 success; 1 the input was rejected or the action is not possible (explained on standard error);
2 usage error; 130 interrupted.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from workbench import __version__
from workbench.cli.output import REFUSED, complain, refusal_json, say_json, standard_output
from workbench.errors import ChangedAtOnce, Damaged, Unavailable, WorkbenchError

LONGEST_SENTENCE = 1000


class CommandGroup(click.Group):
    """A group that lists its commands with the whole first sentence of their help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with a sentence on as many lines as that needs."""
        rows = [(name, self.sentence(ctx, name)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def sentence(self, ctx: click.Context, name: str) -> str:
        """The first sentence of the help of a command."""
        command = self.get_command(ctx, name)
        return command.get_short_help_str(LONGEST_SENTENCE) if command else ""


class LazyGroup(CommandGroup):
    """A group that imports a command when it is used, and lists commands in the given order.

    `parts` says by name where a command is: `module:function`. `workbench pool` in a shell loop must not
    wait for the imports of every other command, nor must `workbench --help`.
    """

    def __init__(self, *arguments: Any, parts: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._parts = parts

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the given order."""
        return list(self._parts)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported, or None."""
        if cmd_name not in self._parts:
            return None
        module, _, attribute = self._parts[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self._parts[cmd_name]} is not a command")
        return command

    def sentence(self, ctx: click.Context, name: str) -> str:
        """The first sentence of the help of a command, which is read without importing it."""
        docstring = _docstring_of(self._parts[name])
        if docstring is None:
            return super().sentence(ctx, name)
        return click.Command(name, help=docstring).get_short_help_str(LONGEST_SENTENCE)


def _docstring_of(part: str) -> str | None:
    """The docstring of a command's function, from the source; None where it cannot be found there."""
    module, _, function = part.partition(":")
    spec = find_spec(module)
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return None
    for node in ast.parse(Path(spec.origin).read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return ast.get_docstring(node)
    return None


COMMANDS = {
    "demo": "workbench.cli.serve:demo",
    "init": "workbench.cli.account:init",
    "serve": "workbench.cli.serve:command",
    "worker": "workbench.cli.worker:command",
    "campaign": "workbench.cli.campaign:command",
    "account": "workbench.cli.account:command",
    "check": "workbench.cli.check:command",
    "pool": "workbench.cli.pool:pool",
    "analyse": "workbench.cli.pool:analyse",
    "plan": "workbench.cli.pool:plan",
    "agree": "workbench.cli.agree:command",
    "consensus": "workbench.cli.consensus:command",
    "sample-size": "workbench.cli.agree:sample_size_command",
    "score": "workbench.cli.score:score",
    "compare": "workbench.cli.compare:compare",
    "pairs": "workbench.cli.compare:pairs",
    "topics": "workbench.cli.compare:topics",
    "curve": "workbench.cli.score:curve",
    "convert": "workbench.cli.convert:command",
    "simulate": "workbench.cli.simulate:command",
    "search": "workbench.cli.search:command",
    "trust": "workbench.cli.trust:command",
    "release": "workbench.cli.release:command",
    "backup": "workbench.cli.backup:backup",
    "restore": "workbench.cli.backup:restore",
    "verify": "workbench.cli.backup:verify",
    "trail": "workbench.cli.account:trail",
    "token": "workbench.cli.account:token",
    "mail": "workbench.cli.site:mail",
    "openid": "workbench.cli.site:openid",
    "deploy": "workbench.cli.deploy:command",
    "help": "workbench.cli.help:command",
}


@click.group(
    cls=LazyGroup,
    parts=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="workbench")
def workbench() -> None:
    """Build an information-retrieval test collection: runs, pools, judgments, agreement, qrels, scores."""


def main() -> None:
    """Run the command line and exit with its exit code."""
    # Set before numpy is imported: the matrices here are small, and starting threads for them takes a third
    # of the time of the import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        with standard_output():
            _run()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)
    except WorkbenchError as error:
        complain(error)
        sys.exit(REFUSED)


def _run() -> None:
    try:
        try:
            workbench.main(prog_name="workbench", standalone_mode=False)
        except Unavailable as error:
            restore = "keep its file, and restore the latest backup into another instance"
            remedy = restore if isinstance(error, Damaged) else "try again later"
            raise WorkbenchError(f"the database does not respond: {error}", remedy=remedy) from error
        except Exception as error:
            if not _overtaken(error):
                raise
            raise ChangedAtOnce from error
    except WorkbenchError as error:
        if not _asked_for_json(sys.argv[1:]):
            raise
        say_json(refusal_json(error))
        sys.exit(REFUSED)


def _overtaken(error: Exception) -> bool:
    # Commands over files load nothing of a database.
    if "workbench.storage.engine" not in sys.modules:
        return False
    from workbench.storage.engine import ROWS_GONE

    return isinstance(error, ROWS_GONE)


def _asked_for_json(words: list[str]) -> bool:
    """Whether a program reads what is printed: every command has the one flag for it."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)
