"""`workbench trust`: its commands, one for each question.

To add a command: write it in `cli/trust/<noun>.py` with `@click.command` and add its line to `COMMANDS`; it
is imported when it is called.
"""

from __future__ import annotations

import click

from workbench.cli.main import LazyGroup

COMMANDS = {
    "judges": "workbench.cli.trust.judges:judges_command",
    "runs": "workbench.cli.trust.judges:runs_command",
    "depth": "workbench.cli.trust.collection:depth_command",
    "holes": "workbench.cli.trust.collection:holes_command",
    "topics": "workbench.cli.trust.collection:topics_command",
}


@click.group("trust", cls=LazyGroup, parts=COMMANDS)
def command() -> None:
    """Ask how far to trust a collection: other judges, other runs, a deeper pool, holes, fewer topics."""
