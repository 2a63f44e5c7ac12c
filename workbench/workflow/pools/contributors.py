"""The runs that brought the pairs of a pool, read for a million pairs at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session

from workbench.pooling.comparison import Numbers
from workbench.records import id_bytes
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.pools.pooled_topics import pooled_by_topic

_QUOTE, _LINE_FEED, _WORD = ord('"'), ord("\n"), 8
_FACTOR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
# By the bytes of a word that belong to a tag, the bits of these.
_BITS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)


@dataclass(frozen=True, slots=True)
class Contributed:
    """By tag, how many pairs of a pool the run brought, and how many no other run and no person did."""

    pairs: Mapping[str, int]
    alone: Mapping[str, int]


class TagReading:
    """Tags as they are read from texts; in `tags` each stands once, in the order of their first reading."""

    def __init__(self, tags: Iterable[str] = ()) -> None:
        self.tags = list(tags)
        self._place = {tag: number for number, tag in enumerate(self.tags)}
        self._keys = np.empty(0, np.uint64)
        self._numbers = np.empty(0, np.int64)

    def read(self, texts: str) -> tuple[Numbers, Numbers]:
        """The tags of lists of [tag, rank] as JSON, one a line, by number, and how many each line has."""
        # JSON escapes what is not ASCII, too.
        if "\\" in texts:
            lists = [json.loads(one) for one in texts.split("\n")]
            counts = np.fromiter(map(len, lists), np.int64, len(lists))
            found = [self._number(tag) for one in lists for tag, _ in one]
            return np.array(found, np.int64), counts
        # Nothing is escaped, so that every other quotation mark ends a tag: no text of a tag need be made.
        content = id_bytes(texts)
        characters = np.frombuffer(content, np.uint8)
        quotes = np.flatnonzero(characters == _QUOTE)
        begins, ends = quotes[::2] + 1, quotes[1::2]
        lines = np.flatnonzero(characters == _LINE_FEED)
        counts = np.diff(np.searchsorted(begins, [0, *lines.tolist(), len(content)]))
        keys = _keys_of(content, begins, ends - begins)
        places = np.searchsorted(self._keys, keys)
        known = self._keys[np.minimum(places, len(self._keys) - 1)] == keys if len(self._keys) else False
        if not np.all(known):
            self._learn(content, keys, begins, ends)
            places = np.searchsorted(self._keys, keys)
        return self._numbers[places], counts

    def _number(self, tag: str) -> int:
        number = self._place.setdefault(tag, len(self.tags))
        if number == len(self.tags):
            self.tags.append(tag)
        return number

    def _learn(self, content: bytes, keys: NDArray[np.uint64], begins: Numbers, ends: Numbers) -> None:
        """Take in the tags of keys that are new."""
        distinct, first = np.unique(keys, return_index=True)
        new = ~np.isin(distinct, self._keys)
        # In the order of the text.
        at = np.sort(first[new]).tolist()
        numbers = [
            self._number(content[begins[one] : ends[one]].decode("utf-8", "surrogateescape")) for one in at
        ]
        joined = np.concatenate([self._keys, keys[at]])
        order = np.argsort(joined)
        self._keys = joined[order]
        self._numbers = np.concatenate([self._numbers, np.array(numbers, np.int64)])[order]


def _keys_of(content: bytes, begins: Numbers, sizes: Numbers) -> NDArray[np.uint64]:
    """A number for each part of a text: its bytes where these are eight or fewer, else a hash of them."""
    # The eight bytes from each place on, as one number.
    words = np.ndarray((len(content),), "<u8", content + bytes(_WORD), 0, (1,))
    keys = words[begins] & _BITS[np.minimum(sizes, _WORD)]
    for start in range(_WORD, int(sizes.max(initial=0)), _WORD):
        more = words[np.minimum(begins + start, len(content) - 1)]
        longer = sizes > start
        mixed = keys * _FACTOR
        mixed ^= mixed >> _SHIFT
        mixed += more & _BITS[np.clip(sizes - start, 0, _WORD)]
        keys = np.where(longer, mixed, keys)
    return keys


def contributions_of(db: Session, pool: PoolRow) -> Contributed:
    """What each run brought to a pool."""
    reading = TagReading(run["tag"] for run in pool.recipe["runs"])
    pairs, alone = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for texts in _texts(db, pool.id, pooled_by_topic(db, pool)):
        numbers, counts = reading.read(texts)
        firsts = np.cumsum(counts) - counts
        pairs = _added(pairs, numbers)
        alone = _added(alone, numbers[firsts[counts == 1]])
    entry = PoolEntryRow
    by_hand = select(cast(entry.brought_by, Text)).where(
        entry.pool_id == pool.id, entry.added_at.is_not(None)
    )
    for text in db.scalars(by_hand):
        pairs = _added(pairs, reading.read(text)[0])
    return Contributed(_by_tag(reading.tags, pairs), _by_tag(reading.tags, alone))


def _added(counts: Numbers, numbers: Numbers) -> Numbers:
    found = np.bincount(numbers, minlength=len(counts))
    found[: len(counts)] += counts
    return found


def _by_tag(tags: Iterable[str], counts: Numbers) -> dict[str, int]:
    return {tag: count for tag, count in zip(tags, counts.tolist(), strict=False) if count}


def joined_entries(db: Session, pool_id: int) -> Iterator[tuple[str, str, str]]:
    """Of each topic of a pool its docnos, one a line, and who brought each, as JSON."""
    entry = PoolEntryRow
    # Joined by the database, both in one order, whichever that is: a tenth of the time that rows take, one by
    # one. JSON has no line feed of its own.
    statement = (
        select(
            entry.topic,
            func.aggregate_strings(entry.docno, "\n"),
            func.aggregate_strings(cast(entry.brought_by, Text), "\n"),
        )
        .where(entry.pool_id == pool_id)
        .group_by(entry.topic)
    )
    rows = db.connection().execute(statement, execution_options={"yield_per": 10})
    yield from ((topic, docnos, texts) for topic, docnos, texts in rows)


def _texts(db: Session, pool_id: int, topics: Iterable[str]) -> Iterator[str]:
    """Of each topic with pairs that nobody added by hand, who brought each, as JSON, one a line."""
    entry = PoolEntryRow
    # Joined by the database: a tenth of the time that rows take, one by one. JSON has no line feed itself.
    joined = select(func.aggregate_strings(cast(entry.brought_by, Text), "\n"))
    for topic in topics:
        chosen = joined.where(entry.pool_id == pool_id, entry.topic == topic, entry.added_at.is_(None))
        texts = db.scalar(chosen)
        if texts is not None:
            yield texts
