"""Agreement, qrels and scores of a campaign."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.cli.agreement_forms import say_agreement
from workbench.cli.agreement_options import Wanted, agreement_options
from workbench.cli.opening import database_options, opened
from workbench.cli.score import say_scores
from workbench.consensus.rules import RULES
from workbench.errors import WorkbenchError
from workbench.settings import Settings
from workbench.workflow.campaigning import campaign_by_slug
from workbench.workflow.entering import entering
from workbench.workflow.evaluating import score_runs
from workbench.workflow.releasing import RuleChoice, make_qrels

RULE = click.option(
    "--rule",
    default="majority",
    show_default=True,
    type=click.Choice(list(RULES)),
    help="; ".join(f"{rule.name}: {rule.help}" for rule in RULES.values()),
)
TIES = click.option(
    "--ties",
    type=click.Choice(["lower", "higher", "none"]),
    help="For majority; none leaves out.  [default: none]",
)
ASSESSOR = click.option("--assessor", help="For the rule one: whose grades are taken.")
MACHINES = click.option("--machines", is_flag=True, help="Let machines have a voice like people.")


@click.command("agreement")
@click.argument("campaign")
@agreement_options
@database_options
def agreement(settings: Settings, campaign: str, wanted: Wanted) -> None:
    """Say how far the assessors of CAMPAIGN agree: all together, every two, by grade, and who is strict."""
    with opened(settings) as database, database.reading() as db:
        found = entering(
            db,
            campaign_by_slug(db, campaign).id,
            relevant_from=wanted.relevant_from,
            graded=wanted.graded,
            basis=wanted.basis,
            documents=wanted.documents,
            machines=wanted.machines,
            assessors=wanted.assessors,
        )
    say_agreement(found, wanted)


@click.command("qrels")
@click.argument("campaign")
@RULE
@TIES
@ASSESSOR
@MACHINES
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file; else printed.")
@database_options
def qrels(
    settings: Settings,
    campaign: str,
    rule: str,
    ties: str | None,
    assessor: str | None,
    machines: bool,
    output: Path | None,
) -> None:
    """Print the qrels of CAMPAIGN: one grade a pair, by a rule; nothing for unsure or cannot judge.

    What the rule leaves without a grade is counted on the error stream.
    """
    with opened(settings) as database, database.reading() as db:
        report = make_qrels(db, campaign_by_slug(db, campaign).id, RuleChoice(rule, ties, assessor, machines))
    content = b"".join(report.lines())
    if output is None:
        sys.stdout.buffer.write(content)
    else:
        try:
            output.write_bytes(content)
        except OSError as error:
            raise WorkbenchError(f"{output} cannot be written: {error.strerror}") from None
    left = len(report.consensus.unsettled)
    click.echo(f"{len(report.consensus.qrels)} lines; {left} judged pairs without a grade", err=True)


@click.command("score")
@click.argument("campaign")
@RULE
@TIES
@ASSESSOR
@MACHINES
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
    rule: str,
    ties: str | None,
    assessor: str | None,
    machines: bool,
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
            choice=RuleChoice(rule, ties, assessor, machines),
            measures=" ".join(measures) or None,
            tags=tags or None,
        )
    say_scores(table.runs, per_topic=per_topic, as_json=as_json)
