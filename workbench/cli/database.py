"""The database of commands that need one: its options, opening with migration, closing."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from workbench.errors import WorkbenchError
from workbench.settings import Settings, read_settings
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.reachability import reachable


def database_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--instance` and `--database` to a command, which receives the resulting `settings`."""

    @click.option(
        "--instance",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder of the embedded database (or WORKBENCH_INSTANCE).",
    )
    @click.option("--database", help="URL of another database (or WORKBENCH_DATABASE_URL).")
    @functools.wraps(command)
    def wrapped(*args: Any, instance: Path | None, database: str | None, **kwargs: Any) -> Any:
        settings = read_settings(instance=instance)
        if database:
            settings = replace(settings, database_url=database)
        return command(*args, settings=settings, **kwargs)

    return wrapped


def same_database(command: str) -> str:
    """A further command of `workbench` for the database that the options of the running one name."""
    given = click.get_current_context()
    words = ["workbench", *command.split()]
    for option in ("instance", "database"):
        if given.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            words += [f"--{option}", shlex.quote(str(given.params[option]))]
    return " ".join(words)


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """The database of these settings, migrated to the latest revision; closed at the end."""
    database = Database(settings.database_url)
    try:
        migrate(database)
        yield database
    finally:
        database.close()


@contextmanager
def existing_database(settings: Settings) -> Iterator[Database]:
    """The database of these settings as it is, of whatever revision; closed at the end.

    Raises WorkbenchError if there is none: opening it would make an empty one.
    """
    address = settings.database_url
    file = Path(address.removeprefix("sqlite:///"))
    if address.startswith("sqlite:///") and not file.is_file():
        raise WorkbenchError(
            f"there is no database at {file}", remedy="name its folder with --instance, or its --database"
        )
    database = Database(address)
    try:
        reachable(database)
        yield database
    finally:
        database.close()
