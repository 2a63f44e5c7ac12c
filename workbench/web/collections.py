"""Loading a collection of `ir_datasets`: what is asked, and the job that does it.

Downloads and the index of a document store may take hours and gigabytes. What a job was killed over is loaded
again, and only what is still missing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from workbench.datasets import catalogue_entry
from workbench.errors import Conflict, rejected
from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.jobs import begin
from workbench.workflow.job_kinds import COLLECTION
from workbench.workflow.jobs import Job, latest


@dataclass(frozen=True, slots=True)
class AskedCollection:
    """The id of a collection, what to load of it, and whose its judgments become: its id's if empty."""

    dataset: str
    parts: tuple[str, ...]
    assessor: str = ""


def last_load() -> Job | None:
    """The collection that is being loaded into this campaign, or the last one; None where there was none."""
    with reading() as db:
        return latest(db, here().id, COLLECTION)


def begin_load(asked: AskedCollection) -> None:
    """Have these parts loaded; raises Conflict while others are, WorkbenchError for what cannot be."""
    if not asked.parts:
        raise rejected("Collection", None, "part", "nothing is selected", "select what to load")
    entry = catalogue_entry(asked.dataset)
    lacking = [part for part in asked.parts if part not in entry.parts]
    if lacking:
        raise rejected(
            "Collection",
            None,
            "part",
            f"{entry.id} has no {' and no '.join(lacking)}",
            f"choose from {', '.join(entry.parts)}",
        )
    running = last_load()
    if running is not None and running.active:
        raise Conflict(f"{running.arguments['dataset']} is being loaded", remedy="wait until it is done")
    begin(COLLECTION, asdict(asked))
