"""A collection of `ir_datasets` brought into a campaign: its topics, the pooled documents, qrels, its run.

Qrels become judgments of one named assessor, the only place from which agreement, consensus and scores read
grades: they stand beside people's judgments under a name of their own, and are in no qrels unless they count
there. (Known answers are for checking assessors; they enter neither.)
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable

from workbench.datasets import CatalogueEntry, DatasetPart
from workbench.errors import InvalidInput
from workbench.formats.runs import write_run
from workbench.frozen import frozen_dataclass
from workbench.records import sorted_ids
from workbench.storage import locks
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database
from workbench.workflow.campaigns.collection import (
    Loaded,
    batches,
    docnos_to_load,
    load_topics,
    missing_documents,
    with_text,
)
from workbench.workflow.campaigns.loading import write_portion
from workbench.workflow.judging.importing import GivenJudgments, Imported, import_files, judgments_from_qrels
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.runs.run_checks import check_files, run_checker
from workbench.workflow.runs.store import store_in_turn

PORTION = 500
"""So many documents are asked of a document store at once."""

Progress = Callable[[DatasetPart, int, int], None]
"""Called with a part, how much of it is done and how much there is."""


@frozen_dataclass
class FetchedDocuments:
    """The result of looking up the pooled documents that had no text.

    `lacking` had none before; `absent` are in no document store of the collection.
    """

    lacking: int
    loaded: Loaded
    absent: tuple[str, ...]


@frozen_dataclass
class DatasetLoaded:
    """What was brought into a campaign, by part; None where it was not asked for.

    `left_out` judgments have a negative grade, which says that nobody judged; `run` is the tag of the run.
    """

    topics: Loaded | None = None
    qrels: Imported | None = None
    left_out: int = 0
    run: str | None = None
    documents: FetchedDocuments | None = None


def load_dataset(
    database: Database,
    campaign_id: int,
    entry: CatalogueEntry,
    parts: Iterable[DatasetPart],
    *,
    assessor: str = "",
    progress: Progress = lambda _part, _done, _total: None,
) -> DatasetLoaded:
    """Bring these parts of a collection into a campaign; documents come in portions, others whole.

    `assessor` gives the judgments of the qrels, by default the id of the collection. Everything but documents
    is read before anything is written. Raises WorkbenchError for a part that the collection lacks or that
    cannot be downloaded, InvalidInput for what the campaign refuses.
    """
    chosen = set(parts)
    topics = entry.topics() if DatasetPart.TOPICS in chosen else None
    qrels = entry.qrels() if DatasetPart.QRELS in chosen else None
    run = b"".join(write_run(entry.run())) if DatasetPart.RUNS in chosen else None
    loaded_topics = imported = None
    if topics is not None:
        with database.writing() as db:
            locks.change(db, campaign_id)
            loaded_topics = load_topics(db, campaign_id, topics, source=entry.id)
    if qrels is not None:
        judgments = judgments_from_qrels(qrels, assessor=assessor.strip() or entry.id)
        (imported,) = import_files(database, campaign_id, [GivenJudgments(judgments, entry.id)])
    tag = None if run is None else _add_run(database, campaign_id, entry, run)
    documents = None
    if DatasetPart.DOCUMENTS in chosen:
        documents = fetch_documents(database, campaign_id, entry, progress)
    left_out = sum(one.grade < 0 for one in qrels or ())
    return DatasetLoaded(loaded_topics, imported, left_out, tag, documents)


def documents_to_fetch(database: Database, campaign_id: int) -> tuple[str, ...]:
    """The pooled documents without text, also those of draft pools, sorted; WorkbenchError without a pool."""
    with database.reading() as db:
        pooled = docnos_to_load(db, campaign_id, pooled=True) or set()
        return tuple(sorted_ids(pooled - with_text(db, campaign_id, pooled)))


def fetch_documents(
    database: Database, campaign_id: int, entry: CatalogueEntry, progress: Progress
) -> FetchedDocuments:
    """Look up the pooled documents that have no text yet, and write them as they come.

    After a kill only what is still missing is looked up.
    """
    lacking = documents_to_fetch(database, campaign_id)
    counts: Counter[str] = Counter()
    found: set[str] = set()
    for done, portion in enumerate(chunks(lacking, PORTION)):
        progress(DatasetPart.DOCUMENTS, done * PORTION, len(lacking))
        for batch in batches(entry.documents_of(portion), counts, None):
            counts += write_portion(database, campaign_id, batch, entry.id)
            found.update(one.docno for one in batch)
    progress(DatasetPart.DOCUMENTS, len(lacking), len(lacking))
    with database.reading() as db:
        loaded = Loaded.of(counts, missing_documents(db, campaign_id))
    return FetchedDocuments(len(lacking), loaded, tuple(one for one in lacking if one not in found))


def _add_run(database: Database, campaign_id: int, entry: CatalogueEntry, lines: bytes) -> str:
    with database.reading() as db:
        checker = run_checker(db, campaign_id, opening=database.reading)
    checked = list(check_files(checker, [(entry.id, io.BytesIO(lines))]))
    result = store_in_turn(database, campaign_id, checked)
    if result.refused:
        raise InvalidInput(result.refused[0].errors)
    pack_runs_one_by_one(database, campaign_id)
    return result.added[0].tag
