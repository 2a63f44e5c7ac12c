"""The process that loads a collection: `python -m workbench.web.dataset_worker CAMPAIGN`, for the server.

What it loads stands in the file of `dataset_fetches`, where it writes how far it is.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.datasets import DatasetPart, catalogue_entry
from workbench.errors import Unavailable, WorkbenchError
from workbench.figures import counted
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web.dataset_fetches import DatasetFetch, FetchState, last_fetch, write_fetch
from workbench.web.workers import run_worker
from workbench.workflow.datasets import DatasetLoaded, load_dataset

BEAT_SECONDS = 1.0
_SHOWN = 5


def load(settings: Settings, database: Database, campaign_id: int) -> None:
    """Load a collection, and write down how far it is, and in the end the result or what is wrong."""
    fetch = last_fetch(settings.instance, campaign_id)
    if fetch is None:
        return
    with _beating(settings.instance, campaign_id, fetch) as noted:
        try:
            done = load_dataset(
                database,
                campaign_id,
                catalogue_entry(fetch.dataset),
                [DatasetPart(part) for part in fetch.parts],
                assessor=fetch.assessor,
                progress=lambda _part, done, total: noted.note(done, total),
            )
        except (WorkbenchError, Unavailable) as error:
            message, remedy = getattr(error, "message", str(error)), getattr(error, "remedy", "")
            noted.fetch = replace(noted.fetch, state=FetchState.REFUSED, message=message, remedy=remedy)
        except BaseException:
            noted.fetch = replace(noted.fetch, state=FetchState.INTERRUPTED)
            raise
        else:
            noted.fetch = replace(noted.fetch, state=FetchState.DONE, message=in_words(done))


def in_words(done: DatasetLoaded) -> str:
    """What was loaded, as a sentence for each part."""
    sentences: list[str] = []
    if done.topics:
        sentences.append(f"{counted(done.topics.read, 'topic')}, {done.topics.added:,} new.")
    if done.qrels:
        sentences.extend(
            f"{counted(one.judgments, 'judgment')} of {one.name}, {one.new:,} new."
            for one in done.qrels.assessors
        )
    if done.left_out:
        sentences.append(f"{counted(done.left_out, 'judgment')} with a negative grade left out.")
    if done.run:
        sentences.append(f"Run {done.run} added.")
    if done.documents:
        found = done.documents.lacking - len(done.documents.absent)
        sentences.append(
            f"{found:,} of {counted(done.documents.lacking, 'pooled document')} without text found."
        )
        if done.documents.absent:
            shown = ", ".join(done.documents.absent[:_SHOWN])
            more = ", …" if len(done.documents.absent) > _SHOWN else ""
            sentences.append(f"Not in the collection: {shown}{more}.")
    return " ".join(sentences)


@dataclass(slots=True)
class _Noted:
    """How far the fetch is, for the thread that writes it down."""

    fetch: DatasetFetch

    def note(self, done: int, total: int) -> None:
        self.fetch = replace(self.fetch, done=done, total=total)


@contextmanager
def _beating(instance: Path, campaign_id: int, fetch: DatasetFetch) -> Iterator[_Noted]:
    noted, ended = _Noted(fetch), threading.Event()

    def beat() -> None:
        while not ended.wait(BEAT_SECONDS):
            write_fetch(instance, campaign_id, noted.fetch)

    beats = threading.Thread(target=beat, daemon=True)
    beats.start()
    try:
        yield noted
    finally:
        ended.set()
        beats.join()
        write_fetch(instance, campaign_id, noted.fetch)


if __name__ == "__main__":
    run_worker(load, sys.argv[1:])
