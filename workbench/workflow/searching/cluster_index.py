"""An index of a campaign's documents in a search cluster, which all hosts of the site share.

Its name is an alias of the index that answers; that one is numbered. In its mapping stands what it has seen.
One that was made in another way, or from a later state of the database than is there now, as after a restore,
answers until another is whole. Hosts that update it at once do the same work twice, and no harm: what one of
them read later stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from workbench.records import Document, SearchCluster
from workbench.searching.analysis import ANALYSIS
from workbench.searching.engine import DamagedIndex
from workbench.searching.opensearch_engine import (
    WORK_SECONDS,
    IndexedDocument,
    OpenSearchEngine,
    asking,
    client_of,
)
from workbench.workflow.searching.updating import (
    UNFINISHED,
    IndexState,
    IndexUpdate,
    ListedDocuments,
    update_lock,
)

_NEWEST = "newest"


class ClusterIndex:
    """The index behind the alias `name`; `folder` is of this host, for the files of its updates.

    Whatever asks the cluster raises EngineUnavailable where that does not answer.
    """

    def __init__(self, cluster: SearchCluster, name: str, folder: Path) -> None:
        self.cluster, self.name, self.folder = cluster, name, folder

    def state(self) -> IndexState | None:
        """What it has seen; None where there is none, or one that another version made."""
        try:
            with asking(self.cluster):
                found = client_of(self.cluster).indices.get_mapping(index=self.name)
        except DamagedIndex:
            return None
        metas = [one["mappings"].get("_meta", {}) for one in found.values()]
        meta = metas[0] if metas else {}
        if meta.get("analysis") != ANALYSIS:
            return None
        return IndexState(int(meta["changes"]), int(meta["documents"]))

    def engine(self) -> OpenSearchEngine:
        """What answers; it raises DamagedIndex where nothing is indexed yet."""
        return OpenSearchEngine(self.cluster, self.name)

    def close(self) -> None:
        """Nothing is open."""

    def reject(self) -> None:
        """There is none behind the alias, so that the next update makes it."""

    def discard(self) -> None:
        """Delete it, with what was begun."""
        for name in _numbered(self.cluster, self.name):
            OpenSearchEngine(self.cluster, name).delete()

    @contextmanager
    def updating(self, changes: int) -> Iterator[ClusterUpdate]:
        """What writes the index, from documents that have changed so often.

        Raises Conflict where another process of this host writes, and from within it UnwritableIndex.
        """
        with update_lock(self.folder):
            yield ClusterUpdate(self, changes)


class ClusterUpdate(IndexUpdate):
    """An index in a cluster while it is brought up to date; it says which documents it lacks.

    What was begun and not finished is continued. The first index answers at once with what it has.
    """

    def __init__(self, index: ClusterIndex, changes: int) -> None:
        self._index, self._changes = index, changes
        self._client = client_of(index.cluster)
        there = _numbered(index.cluster, index.name)
        usable = [name for name, about in there.items() if _is_usable(about["mappings"], changes)]
        answering = [name for name, about in there.items() if index.name in about["aliases"]]
        self._name = next((name for name in usable if name in answering), max(usable, default=""))
        if not self._name:
            last = max((int(name.rpartition(".")[2]) for name in there), default=0)
            # Names are compared as texts.
            self._name = f"{index.name}.{last + 1:06}"
        self._engine = OpenSearchEngine(index.cluster, self._name)
        meta = there.get(self._name, {}).get("mappings", {}).get("_meta")
        self._engine.make()
        self._write_meta(meta or asdict(IndexState(UNFINISHED, 0)))
        if not answering:
            self._answer()
        self._hashes: dict[str, str] = {}
        with asking(index.cluster):
            # Of what was written last, some may not be seen yet.
            self._client.indices.refresh(index=self._name, request_timeout=WORK_SECONDS)
        self._compared = ListedDocuments(self._engine.listed())

    def is_new(self, docno: str, sha256: str) -> bool:
        """Whether the index lacks this document, which comes after all before, with this hash."""
        if not super().is_new(docno, sha256):
            return False
        self._hashes[docno] = sha256
        return True

    def index(self, documents: Iterable[Document]) -> None:
        """Index documents that it lacks, and remove those that are gone."""
        hashed = (IndexedDocument(one, self._hashes[one.docno]) for one in documents)
        self._engine.write(hashed, removed=self.gone, changes=self._changes)
        self._hashes, self._compared.gone = {}, []

    def complete(self, state: IndexState) -> None:
        """Every document is indexed: this index answers from now on, and others are deleted."""
        self._write_meta(asdict(state))
        for name in self._answer():
            OpenSearchEngine(self._index.cluster, name).delete()

    def _write_meta(self, meta: dict[str, Any]) -> None:
        with asking(self._index.cluster):
            body = {"_meta": meta | {_NEWEST: self._changes}}
            self._client.indices.put_mapping(index=self._name, body=body, request_timeout=WORK_SECONDS)

    def _answer(self) -> dict[str, Any]:
        """Let the alias name this index alone; returns the others."""
        alias = self._index.name
        others = _numbered(self._index.cluster, alias)
        others.pop(self._name, None)
        actions: list[dict[str, Any]] = [
            {"remove": {"index": name, "alias": alias}}
            for name, about in others.items()
            if alias in about["aliases"]
        ]
        actions.append({"add": {"index": self._name, "alias": alias}})
        with asking(self._index.cluster):
            self._client.indices.update_aliases(body={"actions": actions}, request_timeout=WORK_SECONDS)
        return others


def remove_cluster_indexes(cluster: SearchCluster, names: str, known: set[str]) -> None:
    """Delete the indexes whose aliases begin with `names` and are not known."""
    for name in _numbered(cluster, f"{names}*"):
        if name.rpartition(".")[0] not in known:
            OpenSearchEngine(cluster, name).delete()


def _numbered(cluster: SearchCluster, alias: str) -> dict[str, Any]:
    """The numbered indexes of an alias, or of those that a pattern stands for, with mappings and aliases."""
    try:
        with asking(cluster):
            return dict(client_of(cluster).indices.get(index=f"{alias}.*", request_timeout=WORK_SECONDS))
    except DamagedIndex:
        return {}


def _is_usable(mappings: dict[str, Any], changes: int) -> bool:
    """Whether an index is made in this way, of documents as they are now or were before."""
    meta = mappings.get("_meta", {})
    return meta.get("analysis") == ANALYSIS and int(meta.get(_NEWEST, changes + 1)) <= changes
