"""The `workbench` command: its groups, and the one place where errors become exit codes.

Exit codes: 0 done; 1 the input was refused or the act is not possible (said on the error stream);
2 the command line was not understood; 130 interrupted.
"""

from __future__ import annotations

import importlib
import sys

import click

from workbench import __version__
from workbench.cli.output import REFUSED, complain
from workbench.errors import WorkbenchError

# Loaded only when asked for: `workbench pool` in a shell loop must not wait for the web server's imports.
COMMANDS = {
    "demo": "workbench.cli.demo",
    "init": "workbench.cli.init",
    "serve": "workbench.cli.serve",
    "campaign": "workbench.cli.campaign",
    "account": "workbench.cli.account",
    "check": "workbench.cli.check",
    "pool": "workbench.cli.pool",
    "analyse": "workbench.cli.analyse",
    "plan": "workbench.cli.plan",
    "agree": "workbench.cli.agree",
    "score": "workbench.cli.score",
}


class LazyGroup(click.Group):
    """A group whose commands are imported at their first use; each module has one `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name]).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name]} has no command")
        return command


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="workbench")
def workbench() -> None:
    """Build an information-retrieval test collection: runs, pools, judgments, agreement, qrels, scores."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        workbench.main(prog_name="workbench", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)
    except WorkbenchError as error:
        complain(error)
        sys.exit(REFUSED)
