"""Qrels of a campaign by a rule, and what every rule would make of it."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli.consensus import EXPORT, OUTPUT, consensus_options, say_summaries, write_export, write_out
from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.output import JSON_OBJECT, Texts, flag, json_flag, say_aside, say_json
from workbench.consensus.rules import RuleChoice, choices_of, default_rules
from workbench.consensus.settle import label_export, summary_json
from workbench.consensus.sums import soft_export
from workbench.workflow.judging.current_judgments import judgment_groups
from workbench.workflow.qrels.qrels import compare_rules, make_qrels, make_soft_labels, qrels_json


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
    more = f"; {len(report.unjudged)} lines of -1" if unjudged else ""
    say_aside(f"{report.summary.settled} lines; {left} judged pairs without a grade{more}")


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
    may be repeated. `campaign trust` shows how the runs rank under other rules.
    """
    names = rules or tuple(name for name in default_rules(slow=models) if name != "one" or people)
    found = at.read(compare_rules, choices_of(names, choice, assessors=people))
    if as_json:
        say_json({"rules": {line.name: summary_json(line.found, line.refused) for line in found}})
        return
    refused = {line.name: line.refused for line in found if line.refused}
    say_summaries({line.name: line.found for line in found}, refused)
