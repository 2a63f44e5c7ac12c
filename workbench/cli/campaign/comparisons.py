"""Scores of runs, compared; what searching found, and what the pool misses."""

from __future__ import annotations

from collections.abc import Collection

import click

from workbench.agreement.intervals import Interval
from workbench.cli.compare import METHOD, ORDER, say_all_pairs, say_topic_table, say_two_runs
from workbench.cli.consensus import consensus_options
from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.main import CommandGroup
from workbench.cli.output import (
    CSV,
    FIRST_AND_SECOND,
    JSON_ARRAY,
    SEED,
    TOPICS,
    Texts,
    csv_flag,
    data_options,
    figure,
    flag,
    form_options,
    json_flag,
    needed,
    one_form,
    one_measure,
    print_export,
    progress_bar,
    repeatable,
    say_aside,
    say_figures,
    say_table,
)
from workbench.cli.score import say_scores
from workbench.consensus.rules import RuleChoice
from workbench.errors import WorkbenchError
from workbench.figures import share_of
from workbench.scoring.measures import parse_measures
from workbench.scoring.pairs_of_runs import Comparisons
from workbench.scoring.topic_difficulty import topic_table_export
from workbench.scoring.two_runs import all_pairs_export, two_runs_export
from workbench.storage import Session
from workbench.trust.left_out import ScoresLeftOut, TauOfOrders, left_out_export
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.scores.leaderboard import leaderboard, leaderboard_export, table_pairs, table_two_runs
from workbench.workflow.scores.score_table import ScoreTable, default_measures, score_runs, table_topics
from workbench.workflow.searching.missed import (
    MissedLine,
    MissedReport,
    SampleDraw,
    keep_draw,
    missed_export,
    missed_report,
    plan_draw,
)
from workbench.workflow.searching.report import (
    CHOICES,
    PARTS,
    found_by_search,
    searching_export,
    table_left_out,
)

MEASURE = one_measure(
    help="One measure, such as nDCG@10 or P(rel=2)@10; by default, AP at the scale's threshold.",
)


RUNS = repeatable("--run", "tags", help="Tag of a run (repeatable); default all.")


@click.group("scores", cls=CommandGroup)
def scores() -> None:
    """Compare two or all runs of a campaign, and sort its topics by difficulty."""


@campaign_command("compare", scores)
@FIRST_AND_SECOND
@consensus_options()
@MEASURE
@SEED
@form_options
def score_compare(
    at: ChosenCampaign,
    first: str,
    second: str,
    choice: RuleChoice,
    measure: str | None,
    seed: int,
    form: str,
) -> None:
    """Compare the runs FIRST and SECOND of CAMPAIGN topic by topic, as the page Two runs does.

    The difference is the first run less the second. Four tests of no difference: paired t, Wilcoxon,
    randomisation and paired bootstrap (Sakai 2006). --csv prints the topics, --latex the tests, --json both.
    """
    table = compared_table(at, choice, measure, (first, second))
    found = table_two_runs(table, table.measures[0], first, second, seed=seed)
    if not print_export(two_runs_export(found), form):
        say_two_runs(found)


@campaign_command("pairs", scores)
@consensus_options()
@MEASURE
@RUNS
@METHOD
@SEED
@form_options
def score_pairs(
    at: ChosenCampaign,
    choice: RuleChoice,
    measure: str | None,
    tags: Texts,
    method: str,
    seed: int,
    form: str,
) -> None:
    """Compare every two runs of CAMPAIGN: which differences are significant, corrected for their number."""
    table = compared_table(at, choice, measure, tags)
    found = table_pairs(table, table.measures[0], Comparisons(method), seed=seed)
    if not print_export(all_pairs_export(found), form):
        say_all_pairs(found)


@campaign_command("topics", scores)
@consensus_options()
@MEASURE
@RUNS
@ORDER
@data_options
def score_topics(
    at: ChosenCampaign, choice: RuleChoice, measure: str | None, tags: Texts, order: str, form: str
) -> None:
    """Sort the topics of CAMPAIGN by difficulty, or by how far its runs disagree on them."""
    table = compared_table(at, choice, measure, tags)
    found = table_topics(table, table.measures[0], order)
    if not print_export(topic_table_export(found), form):
        say_topic_table(found)


def compared_table(
    at: ChosenCampaign, choice: RuleChoice, measure: str | None, tags: Collection[str]
) -> ScoreTable:
    """Runs by one measure; raises WorkbenchError for several."""
    with at.reading() as (db, campaign_id):
        parsed = parse_measures(measure or default_measures(campaign_of(db, campaign_id).scale, choice))
        if measure and len(parsed) > 1:
            raise WorkbenchError("runs are compared by one measure", remedy="name one, such as AP")
        return scored_table(db, campaign_id, choice, str(parsed[0]), tags)


@campaign_command("score")
@consensus_options()
@repeatable(
    "-m", "--measure", "measures", help="Such as 'AP(rel=2) nDCG@10'; by default, chosen by the scale."
)
@repeatable("--run", "tags", help="Only these runs, by tag; by default, all.")
@flag("--per-topic", help="Also the value of every topic.")
@CSV
@flag("--latex", "as_latex", help="A LaTeX table (booktabs).")
@JSON_ARRAY
@one_form
def score(
    at: ChosenCampaign,
    choice: RuleChoice,
    measures: Texts,
    tags: Texts,
    per_topic: bool,
    form: str,
) -> None:
    """Score the runs of CAMPAIGN on the qrels of a rule, best first by the first measure."""
    table = at.read(scored_table, choice, " ".join(measures), tags)
    if form in {"csv", "latex"}:
        if per_topic:
            raise click.UsageError("--per-topic goes with a table or --json")
        print_export(leaderboard_export(leaderboard(table)), form)
        return
    say_scores(table.runs, per_topic=per_topic, as_json=form == "json")


def scored_table(
    db: Session, campaign_id: int, choice: RuleChoice, measures: str, tags: Collection[str]
) -> ScoreTable:
    """The runs of a campaign, scored, with a bar on the error stream where that is a terminal.

    Without measures these are the campaign's, without tags all runs. Raises WorkbenchError as `score_runs`.
    """
    with progress_bar() as bar:
        task = bar.add_task("Scoring")
        return score_runs(
            db,
            campaign_id,
            choice=choice,
            measures=measures or None,
            tags=tags or None,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


@campaign_command("found")
@click.option("--part", type=click.Choice(PARTS), default="topics", help="The table; default topics.")
@json_flag(help="All tables as one JSON object.")
@csv_flag(help="The table as CSV.")
@one_form
def found(at: ChosenCampaign, part: str, form: str) -> None:
    """Report what searching found in CAMPAIGN that no run had, by topic, person or document."""
    report = at.read(found_by_search)
    export = searching_export(report, part)
    if not print_export(export, form):
        say_table([name.replace("_", " ") for name in export.columns], export.rows())
        share = share_of(report.relevant, report.relevant_of_topics)
        say_aside(
            f"Found only by searching: {report.relevant} of {report.relevant_of_topics} relevant documents "
            f"of the searched topics ({share}); judged: {report.judged} of {report.no_run} documents that "
            "no run contributed"
        )


@campaign_command("score-without")
@click.option(
    "--leave-out",
    type=click.Choice(CHOICES),
    default="search",
    help="What to leave out of the qrels: documents found only by searching (default), or all that people "
    "added and no run contributed.",
)
@consensus_options()
@MEASURE
@RUNS
@SEED
@data_options
def score_without(
    at: ChosenCampaign,
    leave_out: str,
    choice: RuleChoice,
    measure: str | None,
    tags: Texts,
    seed: int,
    form: str,
) -> None:
    """Score the runs of CAMPAIGN with and without the documents that only searching found.

    Beside the tau of both rankings stands that of leaving out as many judged documents at random.
    """
    table = compared_table(at, choice, measure, tags)
    report = at.read(table_left_out, table, table.measures[0], leave_out, seed=seed)
    if not print_export(left_out_export(report), form):
        _say_left_out(report)


def _say_left_out(report: ScoresLeftOut) -> None:
    say_figures(
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
    )
    out, beyond = report.left_out, report.tau_b.in_words
    say_aside(
        f"{report.measure} over {report.topics} topics without {out.pairs} of {out.graded} judged documents "
        f"({out.relevant} of {out.all_relevant} relevant), {out.what}: tau b {_tau(report.tau_b)}, "
        f"tau AP {_tau(report.tau_ap)}; {report.swapped} of {report.run_pairs} pairs of runs swap"
        + (f"; {beyond}" if beyond else ""),
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


@click.group("missed", cls=CommandGroup)
def missed() -> None:
    """Draw a sample of what is not pooled, and estimate what the pools have missed."""


@campaign_command("draw", missed)
@needed("--pool", help="Open pool to add the documents to.")
@needed("-n", "--size", type=int, help="Documents per topic.")
@TOPICS
@click.option("--seed", type=int, help="Random seed; drawn and recorded if not given.")
def draw_missed(at: ChosenCampaign, pool: str, size: int, topics: Texts, seed: int | None) -> None:
    """Draw a random sample of what is neither pooled nor judged in CAMPAIGN and add it to a pool."""
    planned = at.read(plan_draw, SampleDraw(pool, size, topics, seed))
    at.write(keep_draw, planned)
    say_figures(
        ["topic", "new", "sample", "not pooled", "seed"],
        [(one.topic, len(one.new), len(one.docnos), one.unpooled, one.seed) for one in planned.topics],
    )


@campaign_command("estimate", missed)
@json_flag(help="One JSON object, with all topics together.")
@csv_flag(help="The topics as CSV.")
@one_form
def estimate(at: ChosenCampaign, form: str) -> None:
    """Estimate the relevant documents that the pools of CAMPAIGN miss, from the samples drawn.

    Intervals hold at 95 % and allow for sampled documents that are not judged yet.
    """
    report = at.read(missed_report)
    if not print_export(missed_export(report), form):
        _say(report)


def _say(report: MissedReport) -> None:
    together = () if report.together is None else (report.together,)
    heads = "topic,sample,not pooled,judged,relevant,missed,95 % interval,recall,95 % interval"
    say_figures(heads.split(","), [_row(one) for one in (*report.topics, *together)])
    say_aside(f"{len(report.topics)} of {report.of_topics} topics sampled")


def _row(one: MissedLine) -> tuple[object, ...]:
    known = one.recall_low is not None and one.recall_high is not None
    return (
        one.topic,
        one.drawn,
        one.unpooled,
        one.judged,
        one.relevant,
        figure(one.missed, ".1f"),
        f"{one.missed_low} to {one.missed_high}",
        figure(one.recall, ".2f"),
        f"{one.recall_low:.2f} to {one.recall_high:.2f}" if known else "-",
    )
