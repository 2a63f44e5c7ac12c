"""Agreement and scores of a campaign."""

from __future__ import annotations

import click

from workbench.agreement.report import Basis
from workbench.cli.agreement_json import report_json
from workbench.cli.agreement_text import say_report
from workbench.cli.campaign.loading import JSON
from workbench.cli.consensus_options import consensus_options
from workbench.cli.opening import database_options, opened
from workbench.cli.output import say_json
from workbench.cli.score import say_scores
from workbench.settings import Settings
from workbench.workflow.campaigning import campaign_by_slug
from workbench.workflow.comparing import agreement as compare_assessors
from workbench.workflow.evaluating import score_runs
from workbench.workflow.releasing import RuleChoice


@click.command("agreement")
@click.argument("campaign")
@click.option(
    "--relevant-from", type=int, metavar="N", help="Lowest relevant grade; the campaign's if not given."
)
@click.option("--graded", is_flag=True, help="Compare all grades instead of relevant or not.")
@click.option(
    "--basis",
    type=click.Choice([basis.value for basis in Basis]),
    default=Basis.BOTH.value,
    show_default=True,
    help="Which pairs enter.",
)
@click.option("--universe", type=click.IntRange(1), help="With the other basis: the number of all pairs.")
@click.option("--assessor", "names", multiple=True, help="Only these, by name.")
@JSON
@database_options
def agreement(
    settings: Settings,
    campaign: str,
    relevant_from: int | None,
    graded: bool,
    basis: str,
    universe: int | None,
    names: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say how far the assessors of CAMPAIGN agree, every two of them, with the working."""
    if graded and relevant_from is not None:
        raise click.UsageError("--graded keeps all grades, so --relevant-from has no use: drop one of them")
    with opened(settings) as database, database.reading() as db:
        report = compare_assessors(
            db,
            campaign_by_slug(db, campaign).id,
            relevant_from=relevant_from,
            graded=graded,
            basis=Basis(basis),
            universe=universe,
            assessors=names or None,
        )
    if as_json:
        say_json(report_json(report))
    else:
        say_report(report)


@click.command("score")
@click.argument("campaign")
@consensus_options(default="majority")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="As 'AP(rel=2) nDCG@10'; by the scale if not given."
)
@click.option("--run", "tags", multiple=True, help="Only these runs, by tag; all if not given.")
@click.option("--per-topic", is_flag=True, help="Every topic's value too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@database_options
def score(
    settings: Settings,
    campaign: str,
    choice: RuleChoice,
    measures: tuple[str, ...],
    tags: tuple[str, ...],
    per_topic: bool,
    as_json: bool,
) -> None:
    """Score the runs of CAMPAIGN on the qrels of a rule, best first by the first measure."""
    with opened(settings) as database, database.reading() as db:
        table = score_runs(
            db,
            campaign_by_slug(db, campaign).id,
            choice=choice,
            measures=" ".join(measures) or None,
            tags=tags or None,
        )
    say_scores(table.runs, per_topic=per_topic, as_json=as_json)
