"""`workbench campaign runs`, `check`, `rules`, `docids`, `run`: runs checked and added, their records."""

from __future__ import annotations

from datetime import date

import click

from workbench.cli.campaign.campaigns import FILES
from workbench.cli.check import changed_rules, limit, rule_options, say_reports
from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.files import open_input, opened_each
from workbench.cli.main import CommandGroup
from workbench.cli.output import (
    JSON_OBJECT,
    REFUSED,
    OneOf,
    Texts,
    arguments,
    figure,
    flag,
    json_flag,
    number_option,
    say_aside,
    say_findings,
    say_json,
    say_list,
    say_table,
    text_option,
    with_progress,
)
from workbench.errors import finding_to_json
from workbench.formats.run_rules import CODES, RuleSet, rules_from_json
from workbench.records import Verdict
from workbench.storage.engine import Database
from workbench.workflow.people.groups import group_named
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.runs.run_checks import RunUpload, check_files, run_checker
from workbench.workflow.runs.run_metadata import (
    RunKind,
    RunMetadata,
    read_metadata,
    tidy_description,
)
from workbench.workflow.runs.run_records import (
    by_number,
    moment,
    run_json,
    run_record,
    run_record_json,
    runs_of,
)
from workbench.workflow.runs.run_rules import (
    collection_list,
    keep_list,
    keep_rules,
    read_list,
    remove_list,
    rules_of,
)
from workbench.workflow.runs.store import store_in_turn


@campaign_command("runs")
@FILES
@click.option("--group", help="The group that submitted them.")
@click.option("--kind", type=OneOf(RunKind), help="How they were made.")
@text_option("--description", help="A description of how they were made.")
@number_option("--priority", help="Among the group's runs; 1 is pooled first.")
@text_option("--seconds-per-query", help="Mean seconds per topic.")
@text_option("--index-bytes", help="Size of the index in bytes.")
@flag("--replace", help="Replace runs with the same tag; the old versions are kept.")
@JSON_OBJECT
def runs(
    at: ChosenCampaign,
    files: Texts,
    group: str | None,
    kind: RunKind | None,
    description: str,
    priority: int | None,
    replace: bool,
    as_json: bool,
    **costs: str,
) -> None:
    """Add runs to CAMPAIGN, plain or gzip; the options apply to each.

    All errors of a refused file are printed and nothing of it is stored; the other runs are added, and the
    exit code is 1.
    """
    with at.open() as (database, campaign_id):
        with database.reading() as db:
            metadata = RunMetadata(
                cost=read_metadata(costs, source="options").cost,
                group_id=group_named(db, campaign_id, group) if group else None,
                kind=kind,
                description=tidy_description(description),
                priority=priority,
            )
        checked = _check(database, campaign_id, files, replacing=replace)
        result = store_in_turn(database, campaign_id, checked, metadata, replacing=replace)
        pack_runs_one_by_one(database, campaign_id)
    if as_json:
        say_json(
            {
                "added": [
                    {"tag": r.tag, "file": r.file_name, "topics": r.topics, "lines": r.lines}
                    for r in result.added
                ],
                "refused": [
                    {"file": r.file, "errors": [finding_to_json(finding) for finding in r.errors]}
                    for r in result.refused
                ],
            }
        )
    else:
        for refused in result.refused:
            say_findings(refused.errors)
        for line in result.added:
            say_findings(line.warnings)
        say_table(
            ["run", "file", "topics", "lines", "warnings"],
            [(r.tag, r.file_name, r.topics, r.lines, len(r.warnings)) for r in result.added],
            numeric_from=2,
        )
    if result.refused:
        raise SystemExit(REFUSED)


@campaign_command("check")
@arguments("files", metavar="RUN...")
@json_flag(help="Print a JSON array with one object per run.")
def check(at: ChosenCampaign, files: Texts, as_json: bool) -> None:
    """Check runs against the rules, topics and runs of CAMPAIGN without storing them.

    Like `workbench check`: findings on standard error, a table on standard output, exit code 1 if a run is
    refused.
    """
    with at.open() as (database, campaign_id):
        checked = _check(database, campaign_id, files)
    say_reports([one.report for one in checked], as_json=as_json)


def _day(text: str) -> str:
    """A date, or `none`, which becomes empty."""
    try:
        return "" if text == "none" else date.fromisoformat(text).isoformat()
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a date: write it as 2026-12-31, or none") from None


@campaign_command("rules")
@rule_options
@click.option(
    "--max-per-group", metavar="N", type=limit, help="The most runs that a group can send, or none."
)
@click.option(
    "--last-day", metavar="DATE", type=_day, help="The last day (UTC) for groups to send runs, or none."
)
@JSON_OBJECT
def rules(
    at: ChosenCampaign,
    max_per_topic: int | None,
    rule_set: RuleSet | None,
    max_per_group: int | None,
    last_day: str | None,
    as_json: bool,
) -> None:
    """Show the rules for runs of CAMPAIGN: errors, warnings and limits. Options change them."""
    given = {"max_per_group": max_per_group, "last_day": last_day}
    changes = {name: value or None for name, value in given.items() if value is not None}
    if rule_set is not None or max_per_topic is not None or changes:
        with at.writing() as (db, campaign_id):
            changed = changed_rules(rules_of(db, campaign_id), rule_set, max_per_topic)
            keep_rules(db, campaign_id, rules_from_json({**changed.to_json(), **changes}))
    now = at.read(rules_of)
    if as_json:
        say_json({**now.to_json(), "codes": {code: str(now.of(code)) for code in CODES}})
        return
    say_table(
        ["finding", "treated as", "meaning"],
        [(code.name, now.of(code.name), code.words) for code in CODES.values()],
    )
    most = figure(now.max_per_topic, ",", "unlimited")
    runs = figure(now.max_per_group, ",", "unlimited")
    say_aside(f"rules: {now.rule_set}; documents per topic, at most: {most}; runs per group, at most: {runs}")
    if now.last_day is not None:
        say_aside(f"groups can send runs until {now.last_day.isoformat()} (UTC)")


@campaign_command("docids")
@click.argument("file", required=False)
@flag("--remove", help="Remove the list; documents of runs are then no longer checked.")
@JSON_OBJECT
def docids(at: ChosenCampaign, file: str | None, remove: bool, as_json: bool) -> None:
    """Set the list of the collection's docnos for CAMPAIGN: FILE with one per line, plain or gzip.

    Documents of runs must then be in the list. It replaces an earlier one. Without FILE, show the list.
    """
    if file and remove:
        raise click.UsageError("give a FILE or --remove, not both")
    if file:
        with open_input(file) as (stream, source):
            read = read_list(source, stream)
        at.write(keep_list, read)
    elif remove:
        at.write(remove_list)
    found = at.read(collection_list)
    if as_json:
        shown = {"file": found.file_name, "docnos": found.docnos, "sha256": found.sha256} if found else None
        say_json({"list": shown})
    elif found is None:
        click.echo("no list: documents of runs are not checked")
    else:
        say_table(["file", "docnos", "sha256"], [(found.file_name, found.docnos, found.sha256)], numeric=[1])


def _check(database: Database, campaign_id: int, files: Texts, *, replacing: bool = False) -> list[RunUpload]:
    """Check files while no writing transaction is open."""
    with database.reading() as db:
        found = run_checker(db, campaign_id, opening=database.reading)
    return list(check_files(found, opened_each(with_progress(files, "Checking")), replacing=replacing))


TAG = click.argument("tag")


@click.group("run", cls=CommandGroup)
def run() -> None:
    """List the runs of a campaign, and show one with all that is recorded about it."""


@campaign_command("list", run)
@click.option("--group", help="Only this group's.")
@click.option("--verdict", type=OneOf(Verdict), help="Only with this verdict.")
@JSON_OBJECT
def list_(at: ChosenCampaign, group: str | None, verdict: Verdict | None, as_json: bool) -> None:
    """List the runs of CAMPAIGN, by tag."""
    with at.reading() as (db, campaign_id):
        ids = None if group is None else [group_named(db, campaign_id, group)]
        runs = [r for r in runs_of(db, campaign_id, group_ids=ids) if verdict is None or r.verdict == verdict]
    say_list(
        [run_json(one) for one in runs],
        as_json,
        ["run", "group", "kind", "priority", "verdict", "topics", "lines", "warnings", "pools"],
        [
            (
                r.tag,
                r.group or "-",
                r.metadata.kind or "-",
                r.metadata.priority or "-",
                r.verdict.words,
                r.topics,
                r.lines,
                len(r.warnings),
                len(r.pools),
            )
            for r in runs
        ],
        numeric=[3, 5, 6, 7, 8],
    )


@campaign_command("show", run)
@TAG
@JSON_OBJECT
def show(at: ChosenCampaign, tag: str, as_json: bool) -> None:
    """Show everything about the run TAG of CAMPAIGN, with its earlier versions."""
    record = at.read(run_record, tag)
    if as_json:
        say_json(run_record_json(record))
        return
    facts = {name: value for name, value in run_json(record.run).items() if name != "warnings"}
    facts["bytes"] = record.size
    facts["pools"] = ", ".join(
        p.name + (" (earlier version)" if p.earlier else "") for p in by_number(record.run)
    )
    say_table(["", tag], [(name, "-" if value in (None, "") else value) for name, value in facts.items()])
    if record.run.warnings:
        click.echo()
        say_table(["line", "warning"], [(w.line or "-", w.message) for w in record.run.warnings])
    if record.versions:
        click.echo()
        say_table(
            ["earlier version", "sent", "replaced", "lines"],
            [
                (v.sha256, moment(v.added_at), moment(v.replaced_at or v.added_at), v.lines)
                for v in record.versions
            ],
            numeric_from=3,
        )
