"""What all runs have of the topics that are judged now: read once, and kept for the saves that follow.

A saved judgment has every run scored again on its topic, and people go on with a topic for hours. The packed
form of a run has the documents of a topic all over it, so that a thousand runs would be read whole for each
save. Runs are found by the hashes of their files: what was read of one never grows old.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from workbench.formats.packed_runs import PackedRun
from workbench.scoring.relevance import Positions
from workbench.scoring.topic_rankings import TopicRankings, topic_rankings
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.runs.packed_store import rankings_of
from workbench.workflow.runs.run_hashes import Hashes, hashes_of, places_among

MOST_TOPICS = 8
"""Where more are asked for, runs are read for the first time rather than after a save."""
MOST_DOCUMENTS = 4 * 2**20
"""Of all runs in all topics that are read at a time: some 100 MB."""
MOST_BYTES = 64 * 2**20
"""Of all that a process keeps: of 1,000 runs with 100 documents a topic some 100 topics."""
MOST_RUNS = 8192
"""Of a topic; those that were read first are forgotten when there are more."""


@dataclass(frozen=True, slots=True, eq=False)
class KeptRankings:
    """What runs have of a topic, by the SHA-256 of their files, shape (runs, 32)."""

    runs: Hashes
    rankings: TopicRankings

    @property
    def nbytes(self) -> int:
        """The bytes that it has in memory."""
        return self.runs.nbytes + self.rankings.nbytes

    def with_more(self, more: KeptRankings) -> KeptRankings:
        """The same with further runs, or with those again."""
        others = np.flatnonzero(places_among(more.runs, self.runs) < 0)[-MOST_RUNS:]
        if not len(others):
            return more
        together = TopicRankings.joined((self.rankings.of_runs(others), more.rankings))
        return KeptRankings(np.concatenate((self.runs[others], more.runs)), together)


_Key = tuple[int, str]


class RecentRankings:
    """The last that were asked for in a process, up to `most` bytes in all; several threads may ask."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._entries: OrderedDict[_Key, KeptRankings] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def find(self, key: _Key) -> KeptRankings | None:
        """What is kept of a campaign's topic, None where that is nothing."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            return found

    def keep(self, key: _Key, found: KeptRankings) -> None:
        """Keep it, and let go of those that nobody asked for since longest."""
        with self._lock:
            before = self._entries.pop(key, None)
            self._size += found.nbytes - (0 if before is None else before.nbytes)
            self._entries[key] = found
            while self._size > self._most:
                _, oldest = self._entries.popitem(last=False)
                self._size -= oldest.nbytes


_RECENT = RecentRankings()
_KEPT = KeptResults(KeptRankings, "formats", "scoring", "workflow/runs/kept_rankings.py")


def kept_rankings(
    db: Session, campaign_id: int, runs: Sequence[tuple[str, str]], topics: Sequence[str], *, kept: bool
) -> dict[str, TopicRankings] | None:
    """What runs, by tag and SHA-256, have of some topics, in their order; read as far as it is not known.

    None where that is too much to be had at once, or a run is in a form that has no arrays. `kept` says
    whether the database is asked for what another process read, and is given what is read here. Raises
    NotFound for a run that the campaign does not have.
    """
    hashes = hashes_of(sha256 for _, sha256 in runs)
    known = _known(db, campaign_id, hashes, topics, kept=kept)
    lacking = [topic for topic in topics if len(_lacking(known.get(topic), hashes))]
    if lacking:
        numbers = np.unique(np.concatenate([_lacking(known.get(topic), hashes) for topic in lacking]))
        read = _read(db, campaign_id, [runs[number][0] for number in numbers.tolist()], lacking)
        if read is None:
            return None
        changed = {}
        for topic in lacking:
            more = KeptRankings(hashes[numbers], topic_rankings(read, topic))
            changed[topic] = known[topic].with_more(more) if topic in known else more
            _RECENT.keep((campaign_id, topic), changed[topic])
        known |= changed
        if kept:
            _KEPT.keep(db, campaign_id, changed)
    return {topic: one.rankings.of_runs(places_among(one.runs, hashes)) for topic, one in known.items()}


def _lacking(known: KeptRankings | None, hashes: Hashes) -> Positions:
    """The numbers of the runs that are not known."""
    return np.arange(len(hashes)) if known is None else np.flatnonzero(places_among(known.runs, hashes) < 0)


def _known(
    db: Session, campaign_id: int, hashes: Hashes, topics: Sequence[str], *, kept: bool
) -> dict[str, KeptRankings]:
    found = {topic: one for topic in topics if (one := _RECENT.find((campaign_id, topic))) is not None}
    if kept:
        asked = [topic for topic in topics if len(_lacking(found.get(topic), hashes))]
        for topic, one in (_KEPT.find(db, campaign_id, asked) if asked else {}).items():
            if len(_lacking(one, hashes)) < len(_lacking(found.get(topic), hashes)):
                found[topic] = one
                _RECENT.keep((campaign_id, topic), one)
    return found


def _read(
    db: Session, campaign_id: int, tags: Sequence[str], topics: Sequence[str]
) -> list[PackedRun] | None:
    read: list[PackedRun] = []
    documents = 0
    for run in rankings_of(db, campaign_id, tags, topics):
        if not isinstance(run, PackedRun):
            return None
        documents += len(run.docnos)
        if documents > MOST_DOCUMENTS:
            return None
        read.append(run)
    return read
