"""Topics, documents and runs into a campaign."""

from __future__ import annotations

from contextlib import ExitStack

import click

from workbench.cli.inputs import open_input
from workbench.cli.opening import database_options, opened
from workbench.cli.output import REFUSED, say_findings, say_json, say_table, with_progress
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.settings import Settings
from workbench.workflow.about_runs import AboutRun, Kind, tidy_description
from workbench.workflow.campaigning import campaign_by_slug
from workbench.workflow.collecting import Loaded, load_documents, load_topics
from workbench.workflow.groups import group_named
from workbench.workflow.submitting import add_runs

FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...")
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


@click.command("topics")
@click.argument("campaign")
@FILES
@click.option(
    "--format", "form", type=click.Choice(list(TOPIC_FORMATS)), help="Told from the content if not given."
)
@JSON
@database_options
def topics(
    settings: Settings, campaign: str, files: tuple[str, ...], form: str | None, as_json: bool
) -> None:
    """Load topics into CAMPAIGN from TREC text, XML, JSON lines or TSV, plain or gzip."""
    done = []
    with opened(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        for name in files:
            with open_input(name) as (stream, source):
                read = read_topics(stream, source=source, format=form)
                done.append((source, load_topics(db, found.id, read, source=source)))
    _say_loaded(done, as_json, "topics")


@click.command("documents")
@click.argument("campaign")
@FILES
@click.option(
    "--format", "form", type=click.Choice(list(DOCUMENT_FORMATS)), help="Told from the content if not given."
)
@click.option("--pooled", is_flag=True, help="Keep only what the pools need, and name what is missing.")
@JSON
@database_options
def documents(
    settings: Settings, campaign: str, files: tuple[str, ...], form: str | None, pooled: bool, as_json: bool
) -> None:
    """Load documents into CAMPAIGN from JSON lines, TREC SGML, SMART or TSV, plain or gzip."""
    done = []
    with opened(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        for name in files:
            with open_input(name) as (stream, source):
                read = read_documents(stream, source=source, format=form)
                done.append((source, load_documents(db, found.id, read, source=source, pooled=pooled)))
    _say_loaded(done, as_json, "documents")


@click.command("runs")
@click.argument("campaign")
@FILES
@click.option("--group", help="The group that sent them.")
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), help="How they were made.")
@click.option("--description", default="", help="How they were made, in words.")
@click.option("--priority", type=click.IntRange(1), help="Among the group's runs; 1 is pooled first.")
@click.option("--replace", is_flag=True, help="Replace runs whose tag is taken; these are kept beside.")
@JSON
@database_options
def runs(
    settings: Settings,
    campaign: str,
    files: tuple[str, ...],
    group: str | None,
    kind: str | None,
    description: str,
    priority: int | None,
    replace: bool,
    as_json: bool,
) -> None:
    """Add runs to CAMPAIGN, plain or gzip; what the options say holds for each.

    A refused file is told whole and leaves nothing; the others are kept, and the exit code is 1.
    """
    with opened(settings) as database, database.writing() as db, ExitStack() as stack:
        found = campaign_by_slug(db, campaign)
        streams = (stack.enter_context(open_input(name)) for name in with_progress(files, "Reading runs"))
        about = AboutRun(
            group_id=group_named(db, found.id, group) if group else None,
            kind=Kind(kind) if kind else None,
            description=tidy_description(description),
            priority=priority,
        )
        files_read = ((source, stream) for stream, source in streams)
        result = add_runs(db, found.id, files_read, about=about, replacing=replace)
    for refused in result.refused:
        say_findings(refused.findings)
    for line in result.added:
        say_findings(line.warnings)
    if as_json:
        say_json(
            {
                "added": [
                    {"tag": r.tag, "file": r.file_name, "topics": r.topics, "lines": r.lines}
                    for r in result.added
                ],
                "refused": [
                    {"file": r.file_name, "errors": [str(f) for f in r.findings]} for r in result.refused
                ],
            }
        )
    else:
        say_table(
            ["run", "file", "topics", "lines", "warnings"],
            [(r.tag, r.file_name, r.topics, r.lines, len(r.warnings)) for r in result.added],
            numeric=[2, 3, 4],
        )
    if result.refused:
        raise SystemExit(REFUSED)


def _say_loaded(done: list[tuple[str, Loaded]], as_json: bool, what: str) -> None:
    missing = done[-1][1].missing
    if as_json:
        files = [
            {
                "file": source,
                "read": loaded.read,
                "added": loaded.added,
                "changed": loaded.changed,
                "unchanged": loaded.unchanged,
                "passed_over": loaded.passed_over,
            }
            for source, loaded in done
        ]
        say_json({"files": files, "missing": list(missing)})
        return
    say_table(
        ["file", what, "added", "changed", "unchanged", "passed over"],
        [(s, each.read, each.added, each.changed, each.unchanged, each.passed_over) for s, each in done],
        numeric=[1, 2, 3, 4, 5],
    )
    if missing:
        click.echo(f"{len(missing)} pooled documents have no text yet:", err=True)
        for docno in missing:
            click.echo(f"  {docno}", err=True)
