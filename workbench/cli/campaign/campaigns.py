"""Campaigns: made, listed, filled with topics and documents, and ended."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from workbench.cli.database import (
    ORGANISER,
    ChosenCampaign,
    campaign_command,
    database_command,
    open_database,
    reading,
    writing,
)
from workbench.cli.files import open_input, read_each
from workbench.cli.output import (
    JSON_ARRAY,
    JSON_OBJECT,
    NEW_FILE,
    Decorator,
    Texts,
    arguments,
    figure,
    flag,
    repeatable,
    say_aside,
    say_figures,
    say_json,
    say_list,
    say_notes,
    say_table,
    setting,
    text_option,
)
from workbench.datasets import CatalogueEntry, DatasetPart, catalogue_entry
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.text_formats import in_words
from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.outside import parsed_json
from workbench.records import SCALES, Document, Scale
from workbench.settings import Settings
from workbench.workflow.campaigns.archive import (
    CampaignContents,
    contents_of,
    delete_campaign,
    finish_deletions,
)
from workbench.workflow.campaigns.campaigns import (
    all_campaigns,
    campaign_by_slug,
    campaign_json,
    create_campaign,
    named_scale,
    scale_from_json,
)
from workbench.workflow.campaigns.collection import Loaded, load_topics, loaded_json
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.datasets import DatasetLoaded, Progress, load_dataset
from workbench.workflow.overview.progress import overview
from workbench.workflow.people.accounts import account_by_login


@database_command("new")
@click.argument("name")
@click.option("--slug", help="Short name for URLs and commands; derived from the name if missing.")
@setting("--scale", default="binary", help=f"{', '.join(SCALES)}, or a JSON file.")
@click.option("--guidelines", type=NEW_FILE, help="Markdown file.")
@ORGANISER
def new(
    settings: Settings,
    name: str,
    slug: str | None,
    scale: str,
    guidelines: Path | None,
    organiser: str | None,
) -> None:
    """Create a campaign called NAME and print its short name."""
    with writing(settings) as db:
        made = create_campaign(
            db,
            name=name,
            slug=slug,
            scale=_scale(scale),
            guidelines=_text(guidelines) if guidelines else "",
            organiser=account_by_login(db, organiser).id if organiser else None,
        )
    click.echo(made.slug)


@database_command("list")
@flag("--archived", help="Archived campaigns instead.")
@JSON_ARRAY
def list_(settings: Settings, archived: bool, as_json: bool) -> None:
    """List all campaigns that are not archived."""
    with reading(settings) as db:
        campaigns = all_campaigns(db, archived=archived)
    rows = [(one.slug, one.name) for one in campaigns]
    say_list([campaign_json(one) for one in campaigns], as_json, ["campaign", "name"], rows)


@campaign_command("show")
@JSON_OBJECT
def show(at: ChosenCampaign, as_json: bool) -> None:
    """Show the progress of CAMPAIGN: pooled, judged, disputed."""
    state = at.read(overview)
    if as_json:
        say_json(asdict(state))
        return
    totals = (
        ("topics", state.topics),
        ("documents", state.documents),
        ("runs", state.runs),
        ("pools", state.pools),
        ("pairs", state.pairs),
        ("judged", state.judged),
        ("judged by two or more", state.doubly),
        ("disputed", state.disputed),
        ("judgments not handed out yet", state.waiting),
        ("missing documents", state.missing_documents),
    )
    say_figures(["", "count"], totals)
    if state.by_assessor:
        click.echo()
        say_table(
            ["assessor", "kind", "assigned", "answered", "judgments", "unsure", "cannot judge"],
            [
                (
                    a.name,
                    "machine" if a.machine else "person",
                    a.assigned,
                    a.answered,
                    a.judgments,
                    a.unsure,
                    a.cannot_judge,
                )
                for a in state.by_assessor
            ],
            numeric_from=2,
        )


def _scale(name: str) -> Scale:
    if not name.endswith(".json"):
        return named_scale(name)
    try:
        given = parsed_json(_text(Path(name)))
    except json.JSONDecodeError as error:
        raise WorkbenchError(f"{name}:{error.lineno}: not JSON: {error.msg}") from None
    except ValueError as error:
        raise WorkbenchError(f"{name}: not JSON: {error}") from None
    return scale_from_json(given)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise WorkbenchError(f"{path} is not UTF-8", remedy="convert it to UTF-8") from None
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be read: {error.strerror}") from None


FILES = arguments("files", metavar="FILE...")


@campaign_command("topics", help=f"Load topics into CAMPAIGN from {in_words(TOPIC_FORMATS)}, plain or gzip.")
@FILES
@click.option(
    "--format", "form", type=click.Choice(TOPIC_FORMATS), help="By default recognised by the content."
)
@JSON_OBJECT
def topics(at: ChosenCampaign, files: Texts, form: str | None, as_json: bool) -> None:
    """Load topics."""
    notes: list[str] = []
    # Read before anything is written: who waits for a pipe must not keep others from saving.
    read = read_each(files, partial(read_topics, format=form, notes=notes))
    with at.writing() as (db, campaign_id):
        done = [(source, load_topics(db, campaign_id, topics, source=source)) for source, topics in read]
    _say_loaded(done, as_json, "topics", notes)


@campaign_command(
    "documents", help=f"Load documents into CAMPAIGN from {in_words(DOCUMENT_FORMATS)}, plain or gzip."
)
@FILES
@click.option(
    "--format",
    "form",
    type=click.Choice(DOCUMENT_FORMATS),
    help="By default recognised by the content.",
)
@flag("--pooled", help="Load only pooled documents, and list those that are missing.")
@JSON_OBJECT
def documents(at: ChosenCampaign, files: Texts, form: str | None, pooled: bool, as_json: bool) -> None:
    """Load documents."""
    notes: list[str] = []

    def read() -> Iterator[tuple[str, Iterable[Document]]]:
        for name in files:
            with open_input(name) as (stream, source):
                yield source, read_documents(stream, source=source, format=form, notes=notes)

    with at.open() as (database, campaign_id):
        done = load_in_portions(database, campaign_id, read(), pooled=pooled)
    _say_loaded(done, as_json, "documents", notes)


def _say_loaded(done: list[tuple[str, Loaded]], as_json: bool, what: str, notes: list[str]) -> None:
    say_list(
        loaded_json(done),
        as_json,
        ["file", what, "added", "changed", "unchanged", "passed over"],
        [(s, each.read, each.added, each.changed, each.unchanged, each.passed_over) for s, each in done],
        numeric_from=1,
    )
    missing = done[-1][1].missing
    if missing and not as_json:
        say_aside(f"{counted(len(missing), 'pooled document')} without text:")
        say_notes(f"  {docno}" for docno in missing)
    say_notes(notes)


@campaign_command("delete")
@click.option("--name", help="Name of the campaign, to confirm; asked for if missing.")
def delete(at: ChosenCampaign, name: str | None) -> None:
    """Delete CAMPAIGN with everything in it; accounts stay. It cannot be undone.

    Export first what you want to keep: judgments, decisions, records, qrels, releases.
    """
    with open_database(at.settings) as database:
        if at.slug in finish_deletions(database):
            click.echo(f"{at.slug} is deleted: an interrupted deletion was completed")
            return
        with database.reading() as db:
            found = campaign_by_slug(db, at.slug)
            contents = contents_of(db, found.id)
        say_aside(f"{found.name} ({at.slug}) contains {_in_words(contents)}.")
        if name is None:
            name = click.prompt("All of it is deleted. Type the name of the campaign", err=True)
        delete_campaign(database, found.id, typed_name=name)
    click.echo(f"{at.slug} is deleted")


def _in_words(contents: CampaignContents) -> str:
    counts = (
        (contents.topics, "topic"),
        (contents.documents, "document"),
        (contents.runs, "run"),
        (contents.pools, "pool"),
        (contents.judgments, "answer"),
        (contents.releases, "release"),
    )
    public = f" ({contents.public:,} public)" if contents.public else ""
    return ", ".join(counted(number, noun) for number, noun in counts) + public


_SHOWN = 20


def _part_flag(part: DatasetPart, text: str) -> Decorator:
    return repeatable(f"--{part}", "parts", flag_value=str(part), help=text)


@campaign_command("dataset")
@click.argument("dataset", metavar="ID")
@_part_flag(DatasetPart.TOPICS, "Load its topics.")
@_part_flag(DatasetPart.DOCUMENTS, "Look up the pooled documents that have no text.")
@_part_flag(DatasetPart.QRELS, "Import its qrels as judgments of one assessor.")
@_part_flag(DatasetPart.RUNS, "Add its run.")
@text_option("--assessor", help="With --qrels: the assessor's name.  [default: ID]")
@JSON_OBJECT
def dataset(
    at: ChosenCampaign,
    dataset: str,
    parts: Texts,
    assessor: str,
    as_json: bool,
) -> None:
    """Load parts of the collection ID of ir_datasets into CAMPAIGN; without options, say what it has.

    Files are downloaded to $IR_DATASETS_HOME, by default ~/.ir_datasets. Of the documents only pooled ones
    without text are looked up: after an interruption, run the same command again.
    """
    entry = catalogue_entry(dataset)
    chosen = [DatasetPart(part) for part in parts]
    if assessor and DatasetPart.QRELS not in chosen:
        raise click.UsageError("--assessor goes with --qrels")
    if not chosen:
        documents = figure(entry.documents, ",", "")
        data = {"id": entry.id, "parts": entry.parts, "documents": entry.documents}
        say_list(data, as_json, list(data), [(entry.id, ", ".join(entry.parts), documents)], numeric=[2])
        return
    lacking = [part for part in chosen if part not in entry.parts]
    if lacking:
        raise WorkbenchError(
            f"{entry.id} has no {' and no '.join(lacking)}", remedy=f"choose from {', '.join(entry.parts)}"
        )
    with at.open() as (database, campaign_id), _shown_progress() as progress:
        done = load_dataset(database, campaign_id, entry, chosen, assessor=assessor, progress=progress)
    if as_json:
        say_json(_as_json(entry, done))
    else:
        _say_dataset(done)


def _say_dataset(done: DatasetLoaded) -> None:
    rows: list[tuple[str, int, int]] = []
    if done.topics:
        rows.append(("topics", done.topics.read, done.topics.added))
    if done.qrels:
        rows.extend((f"judgments of {one.name}", one.judgments, one.new) for one in done.qrels.assessors)
    if done.run:
        rows.append((f"run {done.run}", 1, 1))
    if done.documents:
        rows.append(("documents", done.documents.lacking, done.documents.loaded.added))
    say_figures(["part", "found", "added"], rows)
    if done.left_out:
        say_aside(f"note: left out, {counted(done.left_out, 'judgment')} with a negative grade")
    if done.documents and done.documents.absent:
        absent = done.documents.absent
        more = f" and {len(absent) - _SHOWN:,} more" if len(absent) > _SHOWN else ""
        say_aside(
            f"{len(absent):,} pooled documents are not in the collection: {', '.join(absent[:_SHOWN])}{more}",
        )


def _as_json(entry: CatalogueEntry, done: DatasetLoaded) -> dict[str, object]:
    found: dict[str, object] = {"id": entry.id}
    if done.topics:
        found["topics"] = {"read": done.topics.read, "added": done.topics.added}
    if done.qrels:
        found["qrels"] = [
            {"assessor": one.name, "judgments": one.judgments, "new": one.new} for one in done.qrels.assessors
        ]
        found["left_out"] = done.left_out
    if done.run:
        found["run"] = done.run
    if done.documents:
        found["documents"] = {
            "lacking": done.documents.lacking,
            "added": done.documents.loaded.added,
            "absent": list(done.documents.absent),
        }
    return found


@contextmanager
def _shown_progress() -> Iterator[Progress]:
    """A progress bar on standard error, which begins once the first documents are there.

    Until then the library shows its own: for its downloads, and for the index of a document store.
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn
    from rich.progress import Progress as Bars

    if not sys.stderr.isatty():
        yield lambda _part, _done, _total: None
        return
    console = Console(stderr=True)
    bars = Bars(*Bars.get_default_columns(), MofNCompleteColumn(), console=console, transient=True)
    task = bars.add_task("Looking up")

    def show(part: DatasetPart, done: int, total: int) -> None:
        if done and not bars.live.is_started:
            bars.start()
        bars.update(task, description=part.capitalize(), completed=done, total=total)

    try:
        yield show
    finally:
        bars.stop()
