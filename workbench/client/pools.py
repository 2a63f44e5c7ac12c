"""Pools and queues of a campaign, from another program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from workbench.client.calls import CampaignCalls
from workbench.client.transport import segment
from workbench.json_forms import (
    AddedPairs,
    DrawnSampleJson,
    FilledHolesJson,
    HolesJson,
    MadePoolJson,
    MissedJson,
    PairJson,
    PoolJson,
    PoolPlanJson,
    QueueJson,
    RebuiltPool,
    SearchingReportJson,
    SearchJson,
)


class PoolCalls(CampaignCalls):
    """What is judged."""

    def pools(self) -> Iterator[PoolJson]:
        """The pools, drafts too, oldest first."""
        return self._list("/pools")

    def make_pool(self, strategy: str = "depth", **recipe: Any) -> MadePoolJson:
        """Make a pool: `parameters`, `name`, `ties`, `runs`, `priority`, `supplementary`, `draft`."""
        return cast(MadePoolJson, self._post("/pools", {"strategy": strategy, **recipe}))

    def pool(self, name: str) -> MadePoolJson:
        """A pool with its topics and what each run contributed."""
        return cast(MadePoolJson, self._get(f"/pools/{segment(name)}"))

    def pairs(self, pool: str, *, topic: str = "") -> Iterator[PairJson]:
        """The pairs of a pool by topic and docno."""
        return self._list(f"/pools/{segment(pool)}/pairs", {"topic": topic})

    def add_pairs(self, pool: str, topic: str, docnos: Sequence[str], *, reason: str) -> AddedPairs:
        """Add documents to a topic by hand; all of them, or none."""
        sent = {"topic": topic, "docnos": list(docnos), "reason": reason}
        return cast(AddedPairs, self._post(f"/pools/{segment(pool)}/pairs", sent))

    def remove_pair(self, pool: str, topic: str, docno: str) -> None:
        """Remove a document that was added by hand and that nobody has judged."""
        self._delete(f"/pools/{segment(pool)}/pairs", topic=topic, docno=docno)

    def rename_pool(self, pool: str, name: str) -> PoolJson:
        """Rename a draft."""
        return cast(PoolJson, self._patch(f"/pools/{segment(pool)}", {"name": name}))

    def rebuild_pool(self, pool: str) -> RebuiltPool:
        """Rebuild a draft by its recipe, from the runs as they are now."""
        return cast(RebuiltPool, self._post(f"/pools/{segment(pool)}/rebuild", None))

    def delete_pool(self, pool: str) -> None:
        """Delete a draft."""
        self._delete(f"/pools/{segment(pool)}")

    def queue(self, pool: str) -> QueueJson:
        """How far a queue has come, and what is out."""
        return cast(QueueJson, self._get(f"/pools/{segment(pool)}/queue"))

    def make_queue(self, pool: str, per_pair: int, *, lease_minutes: int | None = None) -> QueueJson:
        """Make a pool a queue, or change how many judgments each pair gets."""
        sent = {"per_pair": per_pair, "lease_minutes": lease_minutes}
        return cast(QueueJson, self._post(f"/pools/{segment(pool)}/queue", sent))

    def give_queue(self, pool: str, assessors: Sequence[str] | None = None) -> int:
        """Give a queue to assessors, or to all with an account; returns how many assignments are new."""
        sent = {"assessors": None if assessors is None else list(assessors)}
        return int(self._post(f"/pools/{segment(pool)}/queue/assessors", sent)["count"])

    def return_to_queue(self, pool: str, **what: str) -> int:
        """Return what is out: all, or that of an `assessor`, of a `topic`, or one `docno` of both."""
        return int(self._post(f"/pools/{segment(pool)}/queue/returned", what)["count"])

    def end_queue(self, pool: str) -> int:
        """Make a queue a pool with assignments again; returns how many pairs were out."""
        return int(self._delete(f"/pools/{segment(pool)}/queue")["count"])

    def plan_pool(self, strategy: str = "depth", **recipe: Any) -> PoolPlanJson:
        """Plan a pool without making it: `parameter=["depth=50"]`, `run`, `per_pair`, `seconds` and more."""
        return cast(PoolPlanJson, self._get("/plans/pool", strategy=strategy, **recipe))

    def missed(self) -> MissedJson:
        """What the pools may have missed, by topic that was sampled and together."""
        return cast(MissedJson, self._get("/missed"))

    def draw_missed(self, pool: str, size: int, **how: Any) -> DrawnSampleJson:
        """Draw a sample of what was not pooled and add it to a pool; `topics`, `seed`."""
        sent = {"pool": pool, "size": size, **how}
        return cast(DrawnSampleJson, self._post("/missed/samples", sent))

    def search(self, topic: str, query: str = "", **how: Any) -> SearchJson:
        """Search the documents for a topic, for organisers; `like` a document, `among` which ones."""
        return cast(SearchJson, self._post("/searches", {"topic": topic, "query": query, **how}))

    def shown_search(self, search: int) -> SearchJson:
        """An own search with its hits so far."""
        return cast(SearchJson, self._get(f"/searches/{search}"))

    def more_hits(self, search: int) -> SearchJson:
        """Show the next hits of an own search."""
        return cast(SearchJson, self._post(f"/searches/{search}/more", None))

    def add_hits(self, search: int, pool: str, docnos: Sequence[str]) -> AddedPairs:
        """Add documents that an own search has shown to a pool; all of them, or none."""
        sent = {"pool": pool, "docnos": list(docnos)}
        return cast(AddedPairs, self._post(f"/searches/{search}/added", sent))

    def found_by_search(self) -> SearchingReportJson:
        """What searching found that no run had, by topic, person and document."""
        return cast(SearchingReportJson, self._get("/missed/found"))

    def holes(self, tag: str) -> HolesJson:
        """The documents of a run that nobody has judged, by cut-off and topic."""
        return cast(HolesJson, self._get(f"/runs/{segment(tag)}/holes"))

    def fill_holes(self, tag: str, depth: int) -> FilledHolesJson:
        """Make a supplementary pool of a run's unjudged documents to a depth."""
        return cast(FilledHolesJson, self._post(f"/runs/{segment(tag)}/holes", {"depth": depth}))

    def open_pool(self, name: str) -> PoolJson:
        """Open a draft for judging."""
        return cast(PoolJson, self._post(f"/pools/{segment(name)}/state", {"state": "open"}))

    def close_pool(self, name: str) -> PoolJson:
        """Close a pool for good."""
        return cast(PoolJson, self._post(f"/pools/{segment(name)}/state", {"state": "closed"}))
