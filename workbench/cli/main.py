"""The `workbench` command: its subcommands, and the translation of errors into exit codes.

Exit codes: 0 success; 1 the input was rejected or the action is not possible (explained on standard error);
2 usage error; 130 interrupted.
"""

from __future__ import annotations

import os
import sys

import click

from workbench import __version__
from workbench.cli.lazy import LazyGroup
from workbench.cli.output import REFUSED, complain, refusal_json, say_json, standard_output
from workbench.errors import ChangedAtOnce, Unavailable, WorkbenchError

COMMANDS = {
    "demo": "workbench.cli.serve:demo",
    "init": "workbench.cli.account:init",
    "serve": "workbench.cli.serve:command",
    "worker": "workbench.cli.worker:command",
    "campaign": "workbench.cli.campaign:command",
    "account": "workbench.cli.account:command",
    "check": "workbench.cli.check:command",
    "pool": "workbench.cli.pool:command",
    "analyse": "workbench.cli.analyse:command",
    "plan": "workbench.cli.pool:plan",
    "agree": "workbench.cli.agree:command",
    "consensus": "workbench.cli.consensus:command",
    "sample-size": "workbench.cli.agree:sample_size_command",
    "score": "workbench.cli.score:command",
    "compare": "workbench.cli.compare:compare",
    "pairs": "workbench.cli.compare:pairs",
    "topics": "workbench.cli.compare:topics",
    "curve": "workbench.cli.curve:command",
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
    "mail": "workbench.cli.mail:command",
    "openid": "workbench.cli.openid:command",
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
            message = f"the database does not respond: {error}"
            raise WorkbenchError(message, remedy="try again later") from error
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
