"""Topics and documents into a campaign."""

from __future__ import annotations

import click

from workbench.cli.inputs import open_input
from workbench.cli.opening import database_options, opened
from workbench.cli.output import say_json, say_table
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.campaigns.collection import Loaded, load_documents, load_topics

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
