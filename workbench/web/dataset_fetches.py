"""Loading a collection of `ir_datasets` from a page: by a process of its own; a file says how far it is.

Downloads and the index of a document store may take hours and gigabytes, so no request waits for them and
nothing of them runs in a process that saves judgments. The file is in the folder of the instance; it is
written once a second, so that a process that was killed is noticed, and *Continue* starts the next one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from workbench.datasets import DatasetPart, catalogue_entry
from workbench.errors import Conflict, Finding, InvalidInput
from workbench.settings import Settings
from workbench.web.workers import start_worker

WORKER = "workbench.web.dataset_worker"
FOLDER = "datasets"
ABANDONED_SECONDS = 15.0
"""A file that was not written for so long belongs to a process that has ended."""


class FetchState(StrEnum):
    """What becomes of a fetch; `INTERRUPTED` if its process has ended without a word."""

    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class DatasetFetch:
    """A collection that is being loaded, or was: of `total` documents `done` are there.

    `message` is the result in words, or the error; `remedy` says how to fix it.
    """

    dataset: str
    parts: tuple[str, ...]
    assessor: str = ""
    state: FetchState = FetchState.RUNNING
    done: int = 0
    total: int = 0
    message: str = ""
    remedy: str = ""


def start_fetch(settings: Settings, campaign_id: int, fetch: DatasetFetch) -> None:
    """Start a process that loads these parts; raises Conflict while another one loads."""
    running = last_fetch(settings.instance, campaign_id)
    if running is not None and running.state is FetchState.RUNNING:
        raise Conflict(f"{running.dataset} is being loaded", remedy="wait until it is done")
    write_fetch(settings.instance, campaign_id, fetch)
    start_worker(settings, WORKER, campaign_id)


def require_parts(fetch: DatasetFetch) -> None:
    """Raise WorkbenchError for what can be seen before anything is downloaded."""
    if not fetch.parts:
        raise InvalidInput(
            [Finding("Collection", None, "part", "nothing is selected", "select what to load")]
        )
    entry = catalogue_entry(fetch.dataset)
    lacking = [part for part in fetch.parts if part not in entry.parts]
    if lacking:
        message = f"{entry.id} has no {' and no '.join(lacking)}"
        remedy = f"it has {', '.join(entry.parts)}"
        raise InvalidInput([Finding("Collection", None, "part", message, remedy)])


def last_fetch(instance: Path, campaign_id: int) -> DatasetFetch | None:
    """The fetch that runs, or the last one; None where there was none."""
    path = _path(instance, campaign_id)
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        quiet = time.time() - path.stat().st_mtime
    except (OSError, ValueError):
        return None
    found = DatasetFetch(
        **written | {"parts": tuple(written["parts"]), "state": FetchState(written["state"])}
    )
    if found.state is FetchState.RUNNING and quiet > ABANDONED_SECONDS:
        return replace(found, state=FetchState.INTERRUPTED)
    return found


def write_fetch(instance: Path, campaign_id: int, fetch: DatasetFetch) -> None:
    """Write down how far a fetch is; readers see the file before or after, never half of it."""
    path = _path(instance, campaign_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(asdict(fetch)), encoding="utf-8")
    new.replace(path)


def chosen_parts(sent: Sequence[str]) -> tuple[str, ...]:
    """Those of a form's words that name parts, in the order of the parts."""
    return tuple(part.value for part in DatasetPart if part.value in sent)


def _path(instance: Path, campaign_id: int) -> Path:
    return instance / FOLDER / f"{campaign_id}.json"
