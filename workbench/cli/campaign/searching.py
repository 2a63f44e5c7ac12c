"""What searching brought: what it found that no run had, and the scores without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from workbench.agreement.intervals import Interval
from workbench.cli.campaign.comparisons import MEASURE, ScoredScope, compared_table
from workbench.cli.comparisons import SEED
from workbench.cli.consensus_options import consensus_options
from workbench.cli.database import database_options, open_database
from workbench.cli.output import form_options, one_form, print_export, say_table
from workbench.cli.record_options import record_options
from workbench.consensus.rules import RuleChoice
from workbench.settings import Settings
from workbench.shares import share_of
from workbench.trust.left_out import ScoresLeftOut, TauOfOrders, left_out_export
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.searching.left_out import CHOICES, table_left_out
from workbench.workflow.searching.report import PARTS, SearchingReport, found_by_search, searching_export

_SCOPE = (
    MEASURE,
    click.option("--run", "tags", multiple=True, help="Tag of a run (repeatable); default all."),
)


@click.command("found")
@click.argument("campaign")
@click.option("--part", type=click.Choice(tuple(PARTS)), default="topics", help="The table; default topics.")
@click.option("--json", "as_json", is_flag=True, help="All tables as one JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="The table as CSV.")
@database_options
def found(settings: Settings, campaign: str, part: str, as_json: bool, as_csv: bool) -> None:
    """Report what searching found in CAMPAIGN that no run had, by topic, person or document."""
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=False)
    with open_database(settings) as database, database.reading() as db:
        report = found_by_search(db, campaign_by_slug(db, campaign).id)
    export = searching_export(report, part)
    if not print_export(export, form):
        _say_found(report, export.columns, export.rows())


@click.command("score-without")
@click.argument("campaign")
@click.option(
    "--leave-out",
    type=click.Choice(tuple(CHOICES)),
    default="search",
    help="What is left out of the qrels: documents that only searching found (default), or all that people "
    "added and no run brought.",
)
@consensus_options(default="majority")
@record_options("scope", ScoredScope, _SCOPE)
@SEED
@form_options
@database_options
def score_without(
    settings: Settings,
    campaign: str,
    leave_out: str,
    choice: RuleChoice,
    scope: ScoredScope,
    seed: int,
    **forms: bool,
) -> None:
    """Score the runs of CAMPAIGN with and without the documents that only searching found.

    Beside the tau of both rankings stands that of leaving out as many judged documents at random.
    """
    form = one_form(**forms)
    table = compared_table(settings, campaign, choice, scope.measure, scope.tags)
    with open_database(settings) as database, database.reading() as db:
        campaign_id = campaign_by_slug(db, campaign).id
        report = table_left_out(db, campaign_id, table, table.measures[0], leave_out, seed=seed)
    if not print_export(left_out_export(report), form):
        _say_left_out(report)


def _say_found(report: SearchingReport, columns: tuple[str, ...], rows: Iterable[Sequence[object]]) -> None:
    say_table([name.replace("_", " ") for name in columns], rows)
    click.echo(
        "Found only by searching: "
        f"{report.relevant} of {report.relevant_of_topics} relevant documents of the searched topics "
        f"({share_of(report.relevant, report.relevant_of_topics)}); "
        f"judged: {report.judged} of {report.no_run} documents that no run brought",
        err=True,
    )


def _say_left_out(report: ScoresLeftOut) -> None:
    say_table(
        ["run", "with", "without", "change", "95 % interval", "rank", "rank without"],
        [
            [
                one.run,
                f"{one.score:.4f}",
                f"{one.without:.4f}",
                f"{one.change:+.4f}",
                _bounds(one.interval),
                one.rank,
                one.rank_without,
            ]
            for one in report.runs
        ],
        numeric=range(1, 7),
    )
    out, beyond = report.left_out, report.tau_b.in_words
    click.echo(
        f"{report.measure} over {report.topics} topics without {out.pairs} of {out.graded} judged documents "
        f"({out.relevant} of {out.all_relevant} relevant), {out.what}: tau b {_tau(report.tau_b)}, "
        f"tau AP {_tau(report.tau_ap)}; {report.swapped} of {report.run_pairs} pairs of runs change places"
        + (f"; {beyond}" if beyond else ""),
        err=True,
    )


def _tau(one: TauOfOrders) -> str:
    if one.value is None:
        return "undefined"
    if one.low is None or one.high is None:
        return f"{one.value:.3f}"
    return f"{one.value:.3f} (as many at random: {one.chance:.3f}, {one.low:.3f} to {one.high:.3f})"


def _bounds(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return "-"
    return f"{interval.low:+.4f} to {interval.high:+.4f}"
