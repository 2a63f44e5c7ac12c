"""How large a collection is: documents, words, topics, and the relevant documents of a topic."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.records import Qrel
from workbench.storage.tables import CollectionListRow, DocumentRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import topics_of

_TAG = re.compile(r"<[^<>]*>")
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Sizes of `n` things of a kind: their mean, median, smallest and largest, all 0 of none."""

    n: int
    mean: float
    median: float
    low: int
    high: int

    @classmethod
    def of(cls, sizes: Sequence[int]) -> SizeRange:
        """The range of some sizes."""
        if not sizes:
            return cls(0, 0.0, 0.0, 0, 0)
        return cls(len(sizes), float(np.mean(sizes)), float(np.median(sizes)), min(sizes), max(sizes))


@dataclass(frozen=True, slots=True)
class CollectionSize:
    """The classic table of a test collection.

    `listed` is the number of docnos of the whole collection, None where no list was loaded; `documents` are
    the words of those whose text was loaded, `titles` and `statements` those of topics. Words are what blanks
    separate, without tags. `judged` and `relevant` are documents with a grade for each topic of the qrels,
    of which `without_relevant` have none that is relevant.
    """

    listed: int | None
    documents: SizeRange
    titles: SizeRange
    statements: SizeRange
    judged: SizeRange
    relevant: SizeRange
    without_relevant: int


def collection_size(
    db: Session, campaign_id: int, qrels: Iterable[Qrel], *, relevant_from: int
) -> CollectionSize:
    """The size of a campaign's collection as it is now; a negative grade means not judged."""
    topics = topics_of(db, campaign_id)
    graded = [one for one in qrels if one.grade >= 0]
    judged = Counter(one.topic for one in graded)
    relevant = Counter(one.topic for one in graded if one.grade >= relevant_from)
    found = [relevant[topic] for topic in judged]
    listed = select(CollectionListRow.docnos).where(CollectionListRow.campaign_id == campaign_id)
    return CollectionSize(
        listed=db.scalar(listed),
        documents=_words_of_documents(db, campaign_id),
        titles=SizeRange.of([words_in(topic.title) for topic in topics]),
        statements=SizeRange.of(
            [words_in(f"{topic.title} {topic.description} {topic.narrative}") for topic in topics]
        ),
        judged=SizeRange.of(list(judged.values())),
        relevant=SizeRange.of(found),
        without_relevant=found.count(0),
    )


def words_in(text: str) -> int:
    """The words of a text, plain or HTML.

    >>> words_in("<p class='a b'>Tide tables</p> of 1931")
    4
    """
    return len((_TAG.sub(" ", text) if "<" in text else text).split())


_WORDS: Cache[tuple[int, str], SizeRange] = Cache(8)
"""By the hashes of all documents: reading their texts takes seconds of a large collection."""


def _words_of_documents(db: Session, campaign_id: int) -> SizeRange:
    hashes = select(DocumentRow.docno, DocumentRow.sha256).where(DocumentRow.campaign_id == campaign_id)
    sha = hashlib.sha256()
    for docno, of_text in db.execute(hashes.order_by(DocumentRow.docno)):
        sha.update(f"{docno}\t{of_text}\n".encode("utf-8", "surrogateescape"))

    def make() -> SizeRange:
        texts = select(DocumentRow.title, DocumentRow.text).where(DocumentRow.campaign_id == campaign_id)
        rows = db.execute(texts.execution_options(yield_per=_AT_ONCE))
        return SizeRange.of([words_in(title) + words_in(text) for title, text in rows])

    return _WORDS.get((campaign_id, sha.hexdigest()), make)
