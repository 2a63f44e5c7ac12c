"""The index of a campaign's documents, which is made and repaired from the documents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.frozen import frozen_dataclass
from workbench.records import Document, SearchCluster
from workbench.searching.engine import DamagedIndex
from workbench.storage.chunks import CHUNK, chunks
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, DocumentRow
from workbench.workflow.campaigns.collection import read_texts
from workbench.workflow.searching.indexes import (
    ClusterIndex,
    HostIndex,
    IndexState,
    remove_cluster_indexes,
)

FOLDER = "search"
COMMIT_EVERY = 50_000
"""Documents after which what is indexed can be searched, and need not be indexed again if this is killed."""
READ_AT_ONCE = 5_000
"""Hashes of documents that are compared in one short transaction."""
REPORT_EVERY = 500

CampaignIndex = HostIndex | ClusterIndex
"""An index of a campaign's documents, which need not be there: of this host, or in a cluster."""
Progress = Callable[[int], None]
"""Called with how many documents the index has as they are now."""


def campaign_index(
    db: Session, instance: Path, campaign_id: int, cluster: SearchCluster | None = None
) -> CampaignIndex:
    """The index of a campaign: of this host, or in a cluster.

    A campaign of the same number in another database has another.
    """
    row = db.get(CampaignRow, campaign_id)
    if row is None:
        raise NotFound("there is no such campaign")
    if cluster is not None:
        name = f"{_names(db, cluster)}{campaign_id}-{_short(row.created_at.isoformat())}"
        return ClusterIndex(cluster, name, instance / FOLDER / name)
    about = f"{_database(db)} {row.created_at.isoformat()}"
    return HostIndex(instance / FOLDER / f"{campaign_id}-{_short(about)}")


def _database(db: Session) -> str:
    return db.get_bind().engine.url.render_as_string(hide_password=True)


def _names(db: Session, cluster: SearchCluster) -> str:
    """How the names of all indexes of this database begin in a cluster."""
    return f"{cluster.prefix}-{_short(_database(db))}-"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def document_changes(db: Session, campaign_id: int) -> int:
    """How often documents of a campaign were written so far."""
    return db.scalar(select(CampaignRow.document_changes).where(CampaignRow.id == campaign_id)) or 0


def refresh_index(
    database: Database,
    instance: Path,
    campaign_id: int,
    progress: Progress = lambda _: None,
    cluster: SearchCluster | None = None,
) -> IndexState:
    """Bring an index up to date with the documents; one that is damaged is made anew.

    Reads in short transactions, so that nobody who writes waits. Raises Conflict while another process does
    the same, UnwritableIndex, EngineUnavailable, NotFound for a campaign that is gone.
    """
    with database.reading() as db:
        index = campaign_index(db, instance, campaign_id, cluster)
    try:
        return _refresh(_Documents(database, campaign_id), index, progress)
    except DamagedIndex:
        index.discard()
        return _refresh(_Documents(database, campaign_id), index, progress)


def remove_old_indexes(database: Database, instance: Path, cluster: SearchCluster | None = None) -> None:
    """Delete the indexes of campaigns that are gone, and of this host those that a cluster took over."""
    with database.reading() as db:
        campaigns = db.scalars(select(CampaignRow.id)).all()
        known = {campaign_index(db, instance, one, cluster).folder.name for one in campaigns}
        names = _names(db, cluster) if cluster is not None else ""
    for folder in (instance / FOLDER).glob("*-*/"):
        if folder.name not in known:
            HostIndex(folder).discard()
    if cluster is not None:
        remove_cluster_indexes(cluster, names, known)


@frozen_dataclass
class _Documents:
    """The documents of a campaign, read in short transactions."""

    database: Database
    campaign_id: int

    def changes(self) -> int:
        with self.database.reading() as db:
            return document_changes(db, self.campaign_id)

    def hashes(self) -> Iterator[tuple[str, str]]:
        """Every document's docno and hash, by docno."""
        last = ""
        while True:
            with self.database.reading() as db:
                rows = db.execute(
                    select(DocumentRow.docno, DocumentRow.sha256)
                    .where(DocumentRow.campaign_id == self.campaign_id, DocumentRow.docno > last)
                    .order_by(DocumentRow.docno)
                    .limit(READ_AT_ONCE)
                ).all()
            yield from ((docno, sha256) for docno, sha256 in rows)
            if len(rows) < READ_AT_ONCE:
                return
            last = rows[-1][0]

    def texts(self, docnos: list[str]) -> Iterator[Document]:
        """These documents; one that is gone meanwhile is missing."""
        for some in chunks(docnos, CHUNK):
            with self.database.reading() as db:
                found = read_texts(db, self.campaign_id, some)
            yield from (found[docno] for docno in some if docno in found)


def _refresh(documents: _Documents, index: CampaignIndex, progress: Progress) -> IndexState:
    changes = documents.changes()
    with index.updating(changes) as update:
        compared = 0
        lacking: list[str] = []
        for docno, sha256 in documents.hashes():
            compared += 1
            if update.is_new(docno, sha256):
                lacking.append(docno)
            if len(lacking) == COMMIT_EVERY:
                update.index(_reported(documents.texts(lacking), compared - len(lacking), progress))
                lacking = []
            if compared % READ_AT_ONCE == 0:
                progress(compared - len(lacking))
        update.no_more()
        if lacking or update.gone:
            update.index(_reported(documents.texts(lacking), compared - len(lacking), progress))
        state = IndexState(changes, compared)
        update.complete(state)
        progress(compared)
    return state


def _reported(documents: Iterator[Document], before: int, progress: Progress) -> Iterator[Document]:
    for at, one in enumerate(documents, start=before):
        if at % REPORT_EVERY == 0:
            progress(at)
        yield one
