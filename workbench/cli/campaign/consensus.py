"""Qrels of a campaign by a rule, and what every rule would make of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.consensus import (
    comparison_json,
    say_comparisons,
    say_summaries,
    write_export,
    write_out,
)
from workbench.cli.consensus_options import EXPORT, OUTPUT, consensus_options
from workbench.cli.database import database_options, open_database
from workbench.cli.output import print_export, progress_bar, say_json
from workbench.cli.record_options import record_options
from workbench.consensus.rule_choice import RuleChoice, choices_of, default_rules
from workbench.consensus.settle import label_export
from workbench.consensus.soft import soft_export
from workbench.consensus.summary import summary_json
from workbench.errors import WorkbenchError
from workbench.settings import Settings
from workbench.storage import Session
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.campaigns.imports_under_way import refuse_while_importing
from workbench.workflow.judging.judgment_files import judgment_groups
from workbench.workflow.qrels.qrels import make_qrels, make_soft_labels, qrels_json
from workbench.workflow.qrels.rule_preview import preview_rules
from workbench.workflow.scores.rule_ranking import (
    MEASURE,
    PREVIEW_EXPORTS,
    RankingPreview,
    preview_ranking,
)


@click.command("qrels")
@click.argument("campaign")
@consensus_options(default="majority")
@click.option("--unjudged", is_flag=True, help="Also -1 for pooled pairs without a grade, as for infAP.")
@click.option("--without-empty", is_flag=True, help="Leave out topics without a relevant document.")
@EXPORT
@OUTPUT
@click.option(
    "--json", "as_json", is_flag=True, help="What the rule gives, or labels or soft labels, as JSON."
)
@database_options
def qrels(
    settings: Settings,
    campaign: str,
    choice: RuleChoice,
    unjudged: bool,
    without_empty: bool,
    export: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print the qrels of CAMPAIGN: one grade a pair, by a rule; nothing for unsure or cannot judge.

    What the rule leaves without a grade is counted on the error stream. With --json and no other export the
    lines stay unprinted, unless -o says where they go, and what the rule gives is told in numbers.
    """
    if as_json and export == "groups":
        raise click.UsageError("--export groups is text for other programs: leave out --json")
    with open_database(settings) as database, database.reading() as db:
        found = campaign_by_slug(db, campaign)
        refuse_while_importing(db, found.id)
        if export in ("groups", "soft"):
            _without_rule(db, found.id, choice, export, output, as_json)
            return
        report = make_qrels(db, found.id, choice, unjudged=unjudged, empty=not without_empty)
    if export == "labels":
        write_export(label_export(report.consensus), output, as_json)
    elif as_json:
        if output is not None:
            write_out(report.lines(), output)
        say_json(qrels_json(report))
    else:
        write_out(report.lines(), output)
    left = report.summary.unsettled
    more = f"; {len(report.unjudged)} lines of -1" if unjudged else ""
    click.echo(f"{report.summary.settled} lines; {left} judged pairs without a grade{more}", err=True)


@dataclass(frozen=True, slots=True)
class RuleRanking:
    """How the rules are compared by the ranking of runs: by a measure, of which runs, or not at all."""

    measure: str
    tags: tuple[str, ...]
    no_ranking: bool


_RANKING = (
    click.option("-m", "--measure", default=MEASURE, show_default=True, help="Measure that ranks the runs."),
    click.option("--run", "tags", multiple=True, help="Only these runs, by tag; all if not given."),
    click.option("--no-ranking", is_flag=True, help="Leave out how the rules rank the runs."),
)


@click.command("consensus")
@click.argument("campaign")
@consensus_options(several=True)
@click.option(
    "--models", is_flag=True, help="Without --rule: also Dawid and Skene's model, which takes seconds."
)
@record_options("ranked_by", RuleRanking, _RANKING)
@click.option(
    "--csv",
    "table",
    type=click.Choice(list(PREVIEW_EXPORTS)),
    help="One table as CSV: what the rules settle, scores, tau, which runs swap or move.",
)
@JSON
@database_options
def consensus(
    settings: Settings,
    campaign: str,
    rules: tuple[str, ...],
    people: tuple[str, ...],
    choice: RuleChoice,
    models: bool,
    ranked_by: RuleRanking,
    table: str | None,
    as_json: bool,
) -> None:
    """Compare what the rules would make of CAMPAIGN, before one is used for its qrels.

    What each rule settles and leaves, and how the ranking of the runs changes between every two: Kendall's
    tau, tau AP, the pairs of runs that swap. The rule one needs --assessor, which may be repeated.
    """
    if table and as_json:
        raise click.UsageError("--csv and --json exclude one another: keep one of them")
    names = rules or tuple(name for name in default_rules(slow=models) if name != "one" or people)
    choices = choices_of(names, choice, assessors=people)
    ranking, why_not = None, ""
    with open_database(settings) as database, database.reading() as db:
        found = campaign_by_slug(db, campaign)
        preview = preview_rules(db, found.id, choices)
        if not ranked_by.no_ranking:
            try:
                ranking = _ranked(db, found.id, choices, ranked_by)
            except WorkbenchError as error:
                why_not = str(error)
    if table:
        print_export(PREVIEW_EXPORTS[table](preview, ranking), "csv")
        if why_not and table != "rules":
            click.echo(f"note: the runs are not ranked: {why_not}", err=True)
        return
    summaries = {line.name: line.found for line in preview.rules}
    refused = {line.name: line.refused for line in preview.rules if line.refused}
    if as_json:
        say_json(
            {
                "pairs": preview.pairs,
                "topics": preview.topics,
                "adjudicated": preview.decided,
                "rules": {
                    line.name: summary_json(line.found, line.refused) | {"sha256": line.sha256}
                    for line in preview.rules
                },
                "measure": ranking.measure if ranking else None,
                "scores": ranking.scores if ranking else {},
                "comparisons": [comparison_json(one) for one in (ranking.comparisons if ranking else ())],
                "not_ranked": why_not,
            }
        )
        return
    say_summaries(summaries, refused)
    if ranking is not None and ranking.comparisons:
        click.echo()
        say_comparisons(ranking.comparisons)
    if why_not:
        click.echo(f"note: the runs are not ranked: {why_not}", err=True)


def _ranked(
    db: Session, campaign_id: int, choices: tuple[RuleChoice, ...], by: RuleRanking
) -> RankingPreview:
    """The ranking, with a bar on the error stream where that is a terminal."""
    with progress_bar() as bar:
        task = bar.add_task("Scoring")
        return preview_ranking(
            db,
            campaign_id,
            choices,
            measure=by.measure,
            tags=by.tags or None,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def _without_rule(
    db: Session, campaign_id: int, choice: RuleChoice, export: str, output: Path | None, as_json: bool
) -> None:
    if export == "soft":
        write_export(
            soft_export(make_soft_labels(db, campaign_id, machines=choice.machines)), output, as_json
        )
        return
    names, lines = judgment_groups(db, campaign_id)
    write_out(lines, output)
    for name, group in names.items():
        if name != group:
            click.echo(f"note: {name} is the group {group}", err=True)
