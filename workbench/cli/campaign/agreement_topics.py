"""Agreement by topic."""

from __future__ import annotations

import click

from workbench.agreement.several.by_topic import COEFFICIENTS, ROUNDS
from workbench.agreement.several.entering import Machines
from workbench.cli.grade_options import MACHINES, bootstrap_options, grade_options
from workbench.cli.opening import database_options, opened
from workbench.cli.tabular import form_options, say_rows
from workbench.settings import Settings
from workbench.workflow.agreement.by_topic import TOPIC_COLUMNS, agreement_by_topic, topic_rows
from workbench.workflow.campaigns.campaigning import campaign_by_slug


@click.command("agreement-topics")
@click.argument("campaign")
@click.option(
    "--by",
    default="pooled",
    show_default=True,
    type=click.Choice(COEFFICIENTS),
    help="The coefficient by which topics are sorted, lowest first.",
)
@grade_options
@MACHINES
@bootstrap_options(ROUNDS)
@form_options
@database_options
def agreement_topics(
    settings: Settings,
    campaign: str,
    by: str,
    relevant_from: int | None,
    graded: bool,
    machines: str,
    rounds: int,
    seed: int,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Say how far the assessors of CAMPAIGN agree on each topic, with intervals over its pairs."""
    with opened(settings) as database, database.reading() as db:
        report = agreement_by_topic(
            db,
            campaign_by_slug(db, campaign).id,
            by=by,
            relevant_from=relevant_from,
            graded=graded,
            machines=Machines(machines),
            rounds=rounds,
            seed=seed,
        )
    said = {
        "entering": report.entering.sentence,
        "relevant_from": None if graded else report.entering.relevant_from,
        "assessors": [voice.name for voice in report.entering.assessors],
        "rounds": rounds,
        "seed": seed,
        "mean_over_topics": {mean.name: mean.value for mean in report.means},
        "topics_without_value": {mean.name: mean.left_out for mean in report.means},
        "all_pairs_together": {found.name: found.value for found in report.together},
        "topics_without_pairs": [topic for topic, _ in report.without],
    }
    if as_json or as_csv:
        say_rows(TOPIC_COLUMNS, topic_rows(report), said=said, as_csv=as_csv, as_json=as_json)
        return
    rows = [
        (
            line.topic,
            line.found.n,
            line.found.disputed,
            *(found.value for found in line.found.coefficients),
            line.found.interval(by).low,
            line.found.interval(by).high,
            line.found.coefficient(by).undefined,
        )
        for line in report.lines
    ]
    columns = ("topic", "n", "disputed", *COEFFICIENTS, f"{by} from", "to", "undefined")
    say_rows(columns, rows, said=said, as_csv=False, as_json=False)
    at = COEFFICIENTS.index(by)
    mean, together = report.means[at], report.together[at]
    click.echo(report.entering.sentence)
    if mean.value is not None and together.value is not None:
        click.echo(
            f"{by}: mean over {mean.topics} topics {mean.value:.3f} ({mean.left_out} without a value), "
            f"all pairs together {together.value:.3f}"
        )
