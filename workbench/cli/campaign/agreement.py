"""What judgments agree on: agreement, adjudication, consensus and qrels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.agreement.estimates import topic_coefficients
from workbench.agreement.options import AgreementOptions
from workbench.cli.agree import PARTS, View, agreement_options, report_options
from workbench.cli.agreement_output import print_agreement
from workbench.cli.campaign.campaigns import FILES
from workbench.cli.consensus import EXPORT, OUTPUT, consensus_options, say_summaries, write_export
from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.files import read_each, write_out
from workbench.cli.main import CommandGroup
from workbench.cli.output import (
    JSON_OBJECT,
    OneOf,
    Texts,
    csv_flag,
    data_options,
    flag,
    json_flag,
    one_form,
    print_export,
    record_json,
    say_aside,
    say_json,
    say_list,
    say_short,
    say_table,
    setting,
)
from workbench.consensus.rules import RuleChoice, choices_of, default_rules
from workbench.consensus.settle import label_export, summary_json
from workbench.consensus.sums import soft_export
from workbench.figures import counted
from workbench.formats.graded_pairs import read_decisions, write_decisions
from workbench.tables import Export
from workbench.workflow.adjudication.decision_files import decisions_made, import_decisions
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import COLUMNS, Order, State, queue_export
from workbench.workflow.agreement.report import (
    agreement_by_topic,
    campaign_pair,
    machines_against_people,
    machines_export,
    repeats_export,
    topics_export,
)
from workbench.workflow.agreement.selection import campaign_ratings
from workbench.workflow.agreement.self_consistency import consistency
from workbench.workflow.judging.current_judgments import judgment_groups
from workbench.workflow.qrels.qrels import compare_rules, make_qrels, make_soft_labels, qrels_json

if TYPE_CHECKING:
    from workbench.cli.agreement_output import Result


_GRADES = ("relevant_from", "graded")


@campaign_command("agreement")
@report_options("answers")
def agreement(at: ChosenCampaign, options: AgreementOptions, view: View) -> None:
    """Report the agreement of the assessors of CAMPAIGN: overall, by pair, by grade, and their leniency."""
    with at.reading() as (db, campaign_id):
        if view.part == "pair":
            first, second = view.pair
            found: Result = campaign_pair(db, campaign_id, options, first=first, second=second)
        else:
            found = PARTS[view.part](campaign_ratings(db, campaign_id, options), options)
    print_agreement(found, options, view.form)


@click.group("agreement-by", cls=CommandGroup)
def agreement_by() -> None:
    """Report agreement by topic, with each machine, and of assessors with themselves."""


@campaign_command("topics", agreement_by)
@agreement_options(*_GRADES, "machines", "answers", "coefficient")
@data_options
def agreement_topics(at: ChosenCampaign, options: AgreementOptions, form: str) -> None:
    """Report the agreement of the assessors of CAMPAIGN on each topic, with intervals of its documents."""
    report = at.read(agreement_by_topic, options)
    if print_export(topics_export(report), form):
        return
    names = [one.name for one in topic_coefficients()]
    by = options.coefficient
    rows = []
    for line in report.lines:
        chosen = line.found.estimate(by)
        low, high = (chosen.interval.low, chosen.interval.high) if chosen.interval else (None, None)
        values = (one.value for one in line.found.estimates)
        rows.append(
            (line.topic, line.found.n, line.found.disputed, *values, low, high, chosen.found.undefined)
        )
    say_short(("topic", "n", "disputed", *names, f"{by} from", "to", "undefined"), rows)
    place = names.index(by)
    mean, together = report.means[place], report.together[place]
    click.echo(report.selection.sentence)
    if mean.value is not None and together.value is not None:
        click.echo(
            f"{by}: mean over {mean.topics} topics {mean.value:z.3f} ({mean.left_out} without a value), "
            f"all pairs together {together.value:z.3f}"
        )


@campaign_command("self", agreement_by)
@agreement_options(*_GRADES)
@data_options
def self_consistency(at: ChosenCampaign, options: AgreementOptions, form: str) -> None:
    """Report how consistent each assessor of CAMPAIGN is on repeats, and how accurate on known answers."""
    _print_table(repeats_export(at.read(consistency, options)), form)


@campaign_command("machines", agreement_by)
@agreement_options(*_GRADES, "answers")
@data_options
def agreement_machines(at: ChosenCampaign, options: AgreementOptions, form: str) -> None:
    """Report the agreement of each machine of CAMPAIGN with people and with their majority, without ties."""
    _print_table(machines_export(at.read(machines_against_people, options)), form)


def _print_table(export: Export, form: str) -> None:
    """Print a report, for people as a table up to what explains what is undefined."""
    if print_export(export, form):
        return
    # How the intervals were found stands in the forms for programs.
    shown = export.columns.index("would_define")
    say_short(export.columns[:shown], [row[:shown] for row in export.rows()], numeric_from=3)


@click.group("adjudication", cls=CommandGroup)
def adjudication() -> None:
    """List disputed pairs and the decisions on them, and import decisions."""


@campaign_command("disputes", adjudication)
@setting(
    "--order",
    type=OneOf(Order),
    default=Order.INFLUENCE.value,
    help="; ".join(f"{order.value}: {order.label}" for order in Order),
)
@click.option("--topic", help="Only pairs of this topic.")
@click.option("--state", type=OneOf(State), help="Only pairs in this state.")
@csv_flag(help="CSV with all columns.")
@JSON_OBJECT
@one_form
def disputes(
    at: ChosenCampaign,
    order: Order,
    topic: str | None,
    state: State | None,
    form: str,
) -> None:
    """List the disputed pairs of CAMPAIGN, those with the most influence on the ranking first."""
    with at.reading() as (db, campaign_id):
        # A command tells what is there now, however long that takes.
        found = dispute_queue(db, campaign_id, order=order, influence=True)
        lines = tuple(found.filtered(topic=topic, state=state))
    export = queue_export(found, lines, names=True)
    if not print_export(export, form):
        chosen = ("topic", "doc", "state", "answers", "distance", "swaps", "shift", "grade")
        places = [COLUMNS.index(name) for name in chosen]
        say_table(
            list(chosen),
            ([_cell(row[at]) for at in places] for row in export.rows()),
            numeric=[4, 5, 6, 7],
        )
        say_aside(f"{found.done} of {found.total} settled")


@campaign_command("decide", adjudication)
@FILES
@JSON_OBJECT
def adjudicate(at: ChosenCampaign, files: Texts, as_json: bool) -> None:
    """Import decisions on disputed pairs into CAMPAIGN.

    FILE is TSV with the header `topic doc grade reason`; the reason is optional. If one file is refused,
    nothing is imported; importing a file twice adds nothing. Earlier decisions stay in the history.
    """
    read = read_each(files, read_decisions)
    done = at.write(import_decisions, read)
    say_list(
        [record_json(one, source="file") for one in done],
        as_json,
        ["file", "decisions", "new", "undisputed", "given by nobody"],
        [(one.source, one.read, one.new, one.undisputed, one.ungiven) for one in done],
        numeric=[1, 2, 3],
    )


@campaign_command("decisions", adjudication)
def decisions(at: ChosenCampaign) -> None:
    """Print every adjudicated grade of CAMPAIGN, as the TSV that `decide` reads."""
    made = at.read(decisions_made)
    for line in write_decisions(made):
        sys.stdout.buffer.write(line)


def _cell(value: object) -> object:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else value


@campaign_command("qrels")
@consensus_options()
@flag("--unjudged", help="Also write -1 for pooled pairs without a grade, for infAP.")
@flag("--without-empty", help="Leave out topics without a relevant document.")
@EXPORT
@OUTPUT
@json_flag(help="What the rule gives, or labels or soft labels, as JSON.")
def qrels(
    at: ChosenCampaign,
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
    with at.reading() as (db, campaign_id):
        if export == "soft":
            labels = make_soft_labels(db, campaign_id, machines=choice.machines)
            write_export(soft_export(labels), output, as_json)
            return
        if export == "groups":
            names, lines = judgment_groups(db, campaign_id)
            write_out(lines, output)
            for name, group in names.items():
                if name != group:
                    say_aside(f"note: {name} is the group {group}")
            return
        report = make_qrels(db, campaign_id, choice, unjudged=unjudged, empty=not without_empty)
    if export == "labels":
        write_export(label_export(report.settled.consensus), output, as_json)
    elif as_json:
        if output is not None:
            write_out(report.lines(), output)
        say_json(qrels_json(report))
    else:
        write_out(report.lines(), output)
    left = report.summary.unsettled
    more = f"; {counted(len(report.unjudged), 'line')} of -1" if unjudged else ""
    say_aside(
        f"{counted(report.summary.settled, 'line')}; {counted(left, 'judged pair')} without a grade{more}"
    )


@campaign_command("consensus")
@consensus_options(several=True)
@flag("--models", help="Without --rule: also Dawid and Skene's model, which takes seconds.")
@JSON_OBJECT
def consensus(
    at: ChosenCampaign,
    rules: Texts,
    people: Texts,
    choice: RuleChoice,
    models: bool,
    as_json: bool,
) -> None:
    """Compare what the rules would make of CAMPAIGN, before one is used for its qrels.

    What each rule settles and leaves, and how much of it is relevant. The rule one needs --assessor, which
    may be repeated. `workbench trust judges` shows how the runs rank under other rules.
    """
    names = rules or tuple(name for name in default_rules(slow=models) if name != "one" or people)
    found = at.read(compare_rules, choices_of(names, choice, assessors=people))
    if as_json:
        say_json({"rules": {line.name: summary_json(line.found, line.refused) for line in found}})
        return
    refused = {line.name: line.refused for line in found if line.refused}
    say_summaries({line.name: line.found for line in found}, refused)
