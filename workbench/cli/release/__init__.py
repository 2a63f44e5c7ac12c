"""`workbench release`: releases as files, checked and compared without a server or a database.

To add a command: write it in `cli/release/<verb>.py` with `@click.command` and add its line to `COMMANDS`; it
is imported when it is called.
"""

from __future__ import annotations

import click

from workbench.cli.lazy import LazyGroup

COMMANDS = {
    "check": "workbench.cli.release.check:command",
    "compare": "workbench.cli.release.compare:command",
}


@click.group("release", cls=LazyGroup, parts=COMMANDS)
def command() -> None:
    """Check releases of test collections, and compare two of them; no server is needed."""
