"""What the commands on a campaign's agreement share: what they are asked, and how they say it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.grade_options import bootstrap_options, grade_options
from workbench.cli.tabular import form_options, one_form, print_export, say_short
from workbench.export import Export
from workbench.settings import Settings
from workbench.storage import Session
from workbench.workflow.campaigns.campaigns import campaign_by_slug

Report_co = TypeVar("Report_co", covariant=True)
Command = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ReportWanted:
    """Of which campaign a report is wanted, over which grades, with which resamples, and in which form."""

    settings: Settings
    campaign: str
    relevant_from: int | None
    graded: bool
    rounds: int
    seed: int
    form: str


class Reckoned(Protocol[Report_co]):
    """A use-case that makes a report of a campaign's judgments."""

    def __call__(
        self,
        db: Session,
        campaign_id: int,
        /,
        *,
        relevant_from: int | None,
        graded: bool,
        rounds: int,
        seed: int,
    ) -> Report_co: ...


def report_options(rounds: int) -> Callable[[Command], Command]:
    """Give a command its CAMPAIGN and the options of a report; it gets them as one argument, `wanted`."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_wanted(
            settings: Settings,
            campaign: str,
            relevant_from: int | None,
            graded: bool,
            rounds: int,
            seed: int,
            as_csv: bool,
            as_json: bool,
            as_latex: bool,
            **others: Any,
        ) -> Any:
            form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
            wanted = ReportWanted(settings, campaign, relevant_from, graded, rounds, seed, form)
            return command(wanted, **others)

        given = bootstrap_options(rounds)(form_options(database_options(with_wanted)))
        return click.argument("campaign")(grade_options(given))

    return decorate


def report_of(wanted: ReportWanted, reckon: Reckoned[Report_co]) -> Report_co:
    """The report that is wanted; raises NotFound for the campaign, WorkbenchError for what cannot be."""
    with open_database(wanted.settings) as database, database.reading() as db:
        return reckon(
            db,
            campaign_by_slug(db, wanted.campaign).id,
            relevant_from=wanted.relevant_from,
            graded=wanted.graded,
            rounds=wanted.rounds,
            seed=wanted.seed,
        )


def say_table_of(wanted: ReportWanted, taken: Export) -> None:
    """Say a report in the form wanted, for people as a table up to what explains what is undefined."""
    if print_export(taken, wanted.form):
        return
    # How the intervals were found stands in the forms for programs.
    shown = taken.columns.index("would_define")
    say_short(taken.columns[:shown], [row[:shown] for row in taken.rows()], numeric_from=3)
