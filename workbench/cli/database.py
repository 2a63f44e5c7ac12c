"""The database of commands that need one: its options, opening with migration, closing."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import click
from click.core import ParameterSource

from workbench.cli.output import FOLDER, Function, say_aside
from workbench.errors import NotFound, Unavailable, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.settings import Settings, read_settings
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate, reachable, require_current
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.acts import COMMAND
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.people.trail import Act, PortionsTrail, add_entry


def same_database(command: str) -> str:
    """A further command of `workbench` for the database that the options of the running one name."""
    given = click.get_current_context()
    words = ["workbench", *command.split()]
    for option in ("instance", "database"):
        if given.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            words += [f"--{option}", shlex.quote(str(given.params[option]))]
    return " ".join(words)


ORGANISER = click.option("--organiser", help="Login name of the organiser.")


class TrailedDatabase(Database):
    """The database of a command: what the command changes leaves an entry in the audit trail.

    The first transaction has its entry within it. A command that loads much has thousands of them, so
    `finish` sums up all that follow in one more entry.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._trail = PortionsTrail()

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """As of every database, and recorded."""
        with super().writing() as db, self._trail.recorded(db, functools.partial(_running, db)):
            yield db

    def finish(self) -> None:
        """Record what all transactions but the first have changed."""
        summary = self._trail.summary()
        if summary is not None:
            act, changes = summary
            with super().writing() as db:
                add_entry(db, act, changes=changes)


def _running(db: Session) -> Act:
    """The command that is running, the system's user who runs it, and the campaign that it names."""
    context = click.get_current_context(silent=True)
    words, slug = ("", None) if context is None else (context.command_path, context.params.get("campaign"))
    campaign_id = None
    with suppress(NotFound):
        campaign_id = campaign_by_slug(db, str(slug), even_archived=True).id if slug else None
    # By number: the trail keeps no names, which could not be deleted from it.
    user = os.getuid() if hasattr(os, "getuid") else None
    return Act(COMMAND + words.partition(" ")[2], campaign_id=campaign_id, asked={"uid": user})


def assessors_named(db: Session, campaign_id: int, names: Collection[str]) -> list[int]:
    """The numbers of these assessors, without names of all who can judge now; raises WorkbenchError.

    Who of those named cannot judge at the moment is said on the error stream.
    """
    known = {one.name: one for one in assessors_of(db, campaign_id) if one.assignable}
    if unknown := [name for name in names if name not in known]:
        raise WorkbenchError(
            f"{', '.join(unknown)} is not an assessor with an account in this campaign",
            remedy=f"choose from {', '.join(known)}" if known else "invite the person",
        )
    for name in names:
        if known[name].disabled:
            say_aside(f"{name} cannot judge at the moment: the account is disabled")
    return [known[name].id for name in names] or [one.id for one in known.values() if one.able]


@contextmanager
def writing_to(database: Database, campaign: str) -> Iterator[Session]:
    """One transaction that changes a campaign, alone in it; raises as `campaign_by_slug`."""
    with database.writing() as db:
        campaign_by_slug(db, campaign)
        yield db


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """The database of these settings; closed at the end.

    What a command changes leaves an entry in the audit trail. Raises WorkbenchError if there is none, or not
    of this version: a command that reads must not make or upgrade one.
    """
    _require_file(settings)
    with _trailed(settings, require_current) as database:
        yield database


@contextmanager
def reading(settings: Settings) -> Iterator[Session]:
    """One transaction that reads the database of these settings; raises as `open_database`."""
    with open_database(settings) as database, database.reading() as db:
        yield db


@contextmanager
def writing(settings: Settings) -> Iterator[Session]:
    """One transaction that changes the database of these settings; raises as `open_database`."""
    with open_database(settings) as database, database.writing() as db:
        yield db


Given = ParamSpec("Given")
Result = TypeVar("Result")


@frozen_dataclass
class ChosenCampaign:
    """The campaign that a command names, in the database that its options name."""

    settings: Settings
    slug: str

    @contextmanager
    def reading(self) -> Iterator[tuple[Session, int]]:
        """One transaction that reads the campaign, and its number; raises as `campaign_by_slug`."""
        with reading(self.settings) as db:
            yield db, campaign_by_slug(db, self.slug).id

    @contextmanager
    def writing(self, *, even_archived: bool = False) -> Iterator[tuple[Session, int]]:
        """One transaction that changes the campaign, alone in it, and its number."""
        with writing(self.settings) as db:
            yield db, campaign_by_slug(db, self.slug, even_archived=even_archived).id

    def read(
        self,
        function: Callable[Concatenate[Session, int, Given], Result],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Result:
        """What a function makes of the campaign, in one transaction that reads it."""
        with self.reading() as (db, campaign_id):
            return function(db, campaign_id, *given, **named)

    def write(
        self,
        function: Callable[Concatenate[Session, int, Given], Result],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Result:
        """The same in one transaction that changes it."""
        with self.writing() as (db, campaign_id):
            return function(db, campaign_id, *given, **named)

    @contextmanager
    def open(self) -> Iterator[tuple[Database, int]]:
        """The database for several transactions, and the campaign's number."""
        with open_database(self.settings) as database:
            with database.reading() as db:
                campaign_id = campaign_by_slug(db, self.slug).id
            yield database, campaign_id


def database_command(
    name: str, group: click.Group | None = None, *, about: str = "", help: str | None = None
) -> Callable[[Function], click.Command]:
    """Make a command with `--instance` and `--database`; it receives the resulting `settings`.

    What it is `about` is its first argument. Each option beats what the environment says of the database.
    """

    def decorate(function: Function) -> click.Command:
        @functools.wraps(function)
        def with_settings(instance: Path | None, database: str | None, **given: Any) -> Any:
            settings = read_settings(instance=instance)
            if database:
                if instance is not None and database != settings.database_url:
                    raise click.UsageError(
                        "--instance and --database name two databases: --instance is for the embedded "
                        "database in that folder"
                    )
                settings = replace(settings, database_url=database)
            return function(settings=settings, **given)

        made = click.command(name, help=help)(with_settings)
        if about:
            made.params.insert(0, click.Argument([about]))
        made.params += [
            click.Option(
                ["--instance"],
                type=FOLDER,
                help="Folder of the embedded database (or WORKBENCH_INSTANCE).",
            ),
            click.Option(["--database"], help="URL of another database (or WORKBENCH_DATABASE_URL)."),
        ]
        if group is not None:
            group.add_command(made)
        return made

    return decorate


def campaign_command(
    name: str, group: click.Group | None = None, *, help: str | None = None
) -> Callable[[Function], click.Command]:
    """Make a command about CAMPAIGN, its first argument; it receives the `ChosenCampaign` as `at`."""

    def decorate(function: Function) -> click.Command:
        @functools.wraps(function)
        def about(settings: Settings, campaign: str, **given: Any) -> Any:
            return function(at=ChosenCampaign(settings, campaign), **given)

        return database_command(name, group, about="campaign", help=help)(about)

    return decorate


@contextmanager
def migrated_database(settings: Settings) -> Iterator[Database]:
    """As `open_database`, created or migrated to the latest revision: by what starts an installation."""
    with _trailed(settings, migrate) as database:
        yield database


@contextmanager
def _trailed(settings: Settings, prepare: Callable[[Database], None]) -> Iterator[Database]:
    database = TrailedDatabase(settings.database_url)
    try:
        prepare(database)
        yield database
        database.finish()
    except BaseException:
        with suppress(Unavailable):
            database.finish()
        raise
    finally:
        database.close()


@contextmanager
def existing_database(settings: Settings) -> Iterator[Database]:
    """The database of these settings as it is, of whatever revision; closed at the end.

    Raises WorkbenchError if there is none: opening it would make an empty one.
    """
    _require_file(settings)
    database = Database(settings.database_url)
    try:
        reachable(database)
        yield database
    finally:
        database.close()


def _require_file(settings: Settings) -> None:
    address = settings.database_url
    file = Path(address.removeprefix("sqlite:///"))
    if address.startswith("sqlite:///") and not file.is_file():
        raise WorkbenchError(
            f"there is no database in {file}",
            remedy="name its folder with --instance, or its --database, or create it with `workbench init`",
        )
