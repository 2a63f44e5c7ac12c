"""`workbench campaign dataset`: topics, documents, qrels and the run of a collection of `ir_datasets`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.output import (
    JSON_OBJECT,
    Decorator,
    Texts,
    figure,
    repeatable,
    say_aside,
    say_figures,
    say_json,
    say_list,
    text_option,
)
from workbench.datasets import CatalogueEntry, DatasetPart, catalogue_entry
from workbench.errors import WorkbenchError
from workbench.workflow.datasets import DatasetLoaded, Progress, load_dataset

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
        _say(done)


def _say(done: DatasetLoaded) -> None:
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
        say_aside(f"note: {done.left_out:,} judgments with a negative grade were left out")
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
