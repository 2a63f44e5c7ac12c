"""`workbench campaign runs`, `check`, `rules` and `docids`: checking and adding runs, and rules for them."""

from __future__ import annotations

from dataclasses import dataclass

import click

from workbench.cli.campaign.campaigns import FILES, JSON
from workbench.cli.database import database_options, open_database
from workbench.cli.inputs import open_input, opened_each
from workbench.cli.output import REFUSED, say_findings, say_json, say_table, with_progress
from workbench.cli.record_options import record_options
from workbench.cli.run_checking import ChosenRules, rule_options, say_reports
from workbench.errors import finding_to_json
from workbench.formats.run_rules import CODES
from workbench.settings import Settings
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.groups import group_named
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.runs.run_checks import RunChecker, RunUpload, check_files, run_checker
from workbench.workflow.runs.run_metadata import (
    COST_FIELDS,
    RunKind,
    RunMetadata,
    read_metadata,
    tidy_description,
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


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is recorded of all runs of a command, as it was typed."""

    group: str | None
    kind: str | None
    description: str
    priority: int | None
    seconds_per_query: str
    index_bytes: str

    def metadata(self, db: Session, campaign_id: int) -> RunMetadata:
        """The same as it is stored; raises NotFound for a group that the campaign does not have."""
        cost = read_metadata({field: getattr(self, field) for field in COST_FIELDS}, source="options").cost
        return RunMetadata(
            cost=cost,
            group_id=group_named(db, campaign_id, self.group) if self.group else None,
            kind=RunKind(self.kind) if self.kind else None,
            description=tidy_description(self.description),
            priority=self.priority,
        )


_ABOUT = (
    click.option("--group", help="The group that submitted them."),
    click.option("--kind", type=click.Choice([kind.value for kind in RunKind]), help="How they were made."),
    click.option("--description", default="", help="A description of how they were made."),
    click.option("--priority", type=click.IntRange(1), help="Among the group's runs; 1 is pooled first."),
    click.option("--seconds-per-query", default="", help="Mean seconds that it takes to answer a topic."),
    click.option("--index-bytes", default="", help="Size of the index in bytes."),
)


@click.command("runs")
@click.argument("campaign")
@FILES
@record_options("about", RunOptions, _ABOUT)
@click.option("--replace", is_flag=True, help="Replace runs with the same tag; the old versions are kept.")
@JSON
@database_options
def runs(
    settings: Settings,
    campaign: str,
    files: tuple[str, ...],
    about: RunOptions,
    replace: bool,
    as_json: bool,
) -> None:
    """Add runs to CAMPAIGN, plain or gzip; the options apply to each.

    All errors of a refused file are printed and nothing of it is stored; the other runs are added, and the
    exit code is 1.
    """
    with open_database(settings) as database:
        with database.reading() as db:
            metadata = about.metadata(db, campaign_by_slug(db, campaign).id)
        found, checked = _check(database, campaign, files, replacing=replace)
        result = store_in_turn(database, found.campaign_id, checked, metadata, replacing=replace)
        pack_runs_one_by_one(database, found.campaign_id)
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
            numeric=[2, 3, 4],
        )
    if result.refused:
        raise SystemExit(REFUSED)


@click.command("check")
@click.argument("campaign")
@click.argument("files", metavar="RUN...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array with one object per run.")
@database_options
def check(settings: Settings, campaign: str, files: tuple[str, ...], as_json: bool) -> None:
    """Check runs against the rules, topics and runs of CAMPAIGN without storing them.

    Like `workbench check`: findings on standard error, a table on standard output, exit code 1 if a run is
    refused.
    """
    with open_database(settings) as database:
        _, checked = _check(database, campaign, files)
    say_reports([one.report for one in checked], as_json=as_json)


@click.command("rules")
@click.argument("campaign")
@rule_options
@JSON
@database_options
def rules(settings: Settings, campaign: str, chosen: ChosenRules, as_json: bool) -> None:
    """Show the rules for runs of CAMPAIGN: errors, warnings and limits. Options change them."""
    with open_database(settings) as database:
        if chosen:
            with database.writing() as db:
                found = campaign_by_slug(db, campaign).id
                keep_rules(db, found, chosen.over(rules_of(db, found)))
        with database.reading() as db:
            now = rules_of(db, campaign_by_slug(db, campaign).id)
    if as_json:
        codes = {code: str(now.of(code)) for code in CODES}
        say_json({**now.to_json(), "codes": codes})
        return
    say_table(
        ["finding", "treated as", "meaning"],
        [(code.name, now.of(code.name), code.words) for code in CODES.values()],
    )
    most = "unlimited" if now.max_per_topic is None else f"{now.max_per_topic:,}"
    click.echo(f"rules: {now.rule_set}; documents per topic, at most: {most}", err=True)


@click.command("docids")
@click.argument("campaign")
@click.argument("file", required=False)
@click.option("--remove", is_flag=True, help="Remove the list; documents of runs are then no longer checked.")
@JSON
@database_options
def docids(settings: Settings, campaign: str, file: str | None, remove: bool, as_json: bool) -> None:
    """Set the list of the collection's docnos for CAMPAIGN: FILE with one per line, plain or gzip.

    Documents of runs must then be in the list. It replaces an earlier one. Without FILE, show the list.
    """
    if file and remove:
        raise click.UsageError("give a FILE or --remove, not both")
    with open_database(settings) as database:
        if file:
            with open_input(file) as (stream, source):
                read = read_list(source, stream)
            with database.writing() as db:
                keep_list(db, campaign_by_slug(db, campaign).id, read)
        elif remove:
            with database.writing() as db:
                remove_list(db, campaign_by_slug(db, campaign).id)
        with database.reading() as db:
            found = collection_list(db, campaign_by_slug(db, campaign).id)
    if as_json:
        shown = {"file": found.file_name, "docnos": found.docnos, "sha256": found.sha256} if found else None
        say_json({"list": shown})
    elif found is None:
        click.echo("no list: documents of runs are not checked")
    else:
        say_table(["file", "docnos", "sha256"], [(found.file_name, found.docnos, found.sha256)], numeric=[1])


def _check(
    database: Database, campaign: str, files: tuple[str, ...], *, replacing: bool = False
) -> tuple[RunChecker, list[RunUpload]]:
    """Check files while no writing transaction is open."""
    with database.reading() as db:
        found = run_checker(db, campaign_by_slug(db, campaign).id, opening=database.reading)
    return found, list(check_files(found, opened_each(with_progress(files, "Checking")), replacing=replacing))
