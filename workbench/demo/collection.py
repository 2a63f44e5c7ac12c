"""The invented collection: topics, documents, guidelines, and six retrieval methods with their runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from workbench.records import FOUR_GRADES, Document, Ranking, Run, Topic, id_bytes

CAMPAIGN_NAME = "Harbour town almanac (illustrative)"
CAMPAIGN_SCALE = FOUR_GRADES

GUIDELINES = """\
# How to judge

The documents come from the almanac of Wrackham, a harbour town that does not exist. Its library collects
what people know about gardens, boats, tides, fish and old walls. You say, for one document at a time, how
well it serves the reader who is described in the topic.

## Before you start

- Read the whole topic. The narrative says what counts and what does not, and it outweighs the title.
- Judge the document in front of you, not the one you saw before it. Two that say the same get the same grade.
- Judge what is written, not whether you agree with it or like its style.
- Read to the end. The answer may stand in the last paragraph, and the words of the topic may be missing.

## The grades

| Grade | Give it when | For *Sharpening edge tools by hand* |
|---|---|---|
| 0 Not relevant | it is about something else, even in the same words | the sharp bend in the lane |
| 1 Related | it is on the subject but does not help this reader | what the travelling grinder cried |
| 2 Relevant | it answers in part, in passing or for a special case | whetting a scythe |
| 3 Highly relevant | the answer is what the document is about | a kitchen knife on a flat stone |

Grades 2 and 3 count as relevant.

## When no grade fits

1. **Unsure**: you have read it and waver. Say so and leave a note; someone else will look.
2. **Cannot judge**: you are not able to read it, because of its language or because it is damaged.
3. **Skip**: you would rather come back to it later.

None of these means *not relevant*. If two grades seem equally right, choose the lower.
"""


@cache
def demo_topics() -> tuple[Topic, ...]:
    """The eight topics, ordered by id."""
    return tuple(
        Topic(row["id"], row["title"], row["description"], row["narrative"]) for row in _rows("topics.jsonl")
    )


@cache
def demo_documents() -> tuple[Document, ...]:
    """The documents, ordered by docno; two of them are HTML, the others plain text in paragraphs."""
    return tuple(Document(row["id"], row["title"], row["text"]) for row in _rows("documents.jsonl"))


@cache
def demo_truth() -> Mapping[tuple[str, str], int]:
    """The author's grade, 0 to 3, by (topic, docno); a pair that is absent is plainly not relevant.

    Pairs that are present with grade 0 are near misses: they share the topic's words, not its sense.
    """
    lines = _text("truth.tsv").splitlines()[1:]
    triples = (line.split("\t") for line in lines)
    return MappingProxyType({(topic, docno): int(grade) for topic, docno, grade in triples})


def _rows(name: str) -> list[dict[str, str]]:
    # Only "\n" ends a line of JSONL; str.splitlines would also break at separators inside a text.
    return [json.loads(line) for line in _text(name).split("\n") if line]


def _text(name: str) -> str:
    return files("workbench.demo").joinpath(name).read_text(encoding="utf-8")


DEPTH = 40
LOTTERY_SEED = 7
Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Index:
    """Term counts of a collection: `titles` and `texts` are documents x vocabulary."""

    docnos: tuple[str, ...]
    vocabulary: dict[str, int]
    titles: Counts
    texts: Counts

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Index:
        """Index these documents."""
        documents = tuple(documents)
        titles = [terms(document.title) for document in documents]
        texts = [terms(document.text) for document in documents]
        words = sorted({word for field in titles + texts for word in field})
        vocabulary = {word: column for column, word in enumerate(words)}
        docnos = tuple(document.docno for document in documents)
        return cls(docnos, vocabulary, _counts(titles, vocabulary), _counts(texts, vocabulary))

    def counts_of(self, text: str) -> Counts:
        """How often each word of the vocabulary occurs in `text`; unknown words are dropped."""
        return _counts([terms(text)], self.vocabulary).ravel()


Method = Callable[[Index, Topic], Counts]


@cache
def demo_runs() -> tuple[Run, ...]:
    """The six runs, with 40 documents per topic, best first."""
    index = Index.of(demo_documents())
    return tuple(
        Run(tag, {topic.id: _ranking(index, method(index, topic)) for topic in demo_topics()})
        for tag, method in METHODS.items()
    )


def bm25(index: Index, topic: Topic) -> Counts:
    """BM25 on title and description, with words in a document's title counted three times."""
    return _bm25(index.texts + 3 * index.titles, index.counts_of(f"{topic.title} {topic.description}"))


def bm25_verbose(index: Index, topic: Topic) -> Counts:
    """BM25 on description and narrative, which also names what is not relevant."""
    return _bm25(index.texts + index.titles, index.counts_of(f"{topic.description} {topic.narrative}"))


def likelihood(index: Index, topic: Topic, mu: float = 200.0) -> Counts:
    """A language model with Dirichlet smoothing (Zhai and Lafferty 2004), on the title alone."""
    counts = index.texts + index.titles
    query = index.counts_of(topic.title)
    background = mu * counts.sum(axis=0) / counts.sum()
    lengths = counts.sum(axis=1, keepdims=True)
    scores: Counts = np.log((counts + background) / (lengths + mu)) @ query
    return scores


def cosine(index: Index, topic: Topic) -> Counts:
    """The cosine between tf-idf vectors of the document and of title and description."""
    counts = index.texts + index.titles
    idf = np.log(len(counts) / (counts > 0).sum(axis=0))
    query = index.counts_of(f"{topic.title} {topic.description}") * idf
    weights = counts * idf
    norms = np.linalg.norm(weights, axis=1) * np.linalg.norm(query)
    scores = np.zeros(len(counts))
    np.divide(weights @ query, norms, out=scores, where=norms > 0)
    return scores


def coordination(index: Index, topic: Topic) -> Counts:
    """The number of different words of title and description that occur; ties are frequent."""
    query = index.counts_of(f"{topic.title} {topic.description}") > 0
    return np.asarray(((index.texts + index.titles) > 0) @ query.astype(np.float64))


def titles_only(index: Index, topic: Topic) -> Counts:
    """The number of shared words of the two titles, with ties broken at random by a fixed seed."""
    return np.asarray(index.titles @ index.counts_of(topic.title) + _lottery(index.docnos, topic.id))


METHODS: dict[str, Method] = {
    "harbour-bm25": bm25,
    "harbour-bm25-verbose": bm25_verbose,
    "harbour-lm": likelihood,
    "tidewater-tfidf": cosine,
    "tidewater-coordination": coordination,
    "lantern-titles": titles_only,
}

COSTS: dict[str, tuple[float | None, int | None]] = {
    "harbour-bm25": (0.012, 48_000_000),
    "harbour-bm25-verbose": (0.041, 48_000_000),
    "harbour-lm": (0.018, 52_000_000),
    "tidewater-tfidf": (0.009, 31_000_000),
    "tidewater-coordination": (0.004, 22_000_000),
    "lantern-titles": (None, None),
}
"""Seconds a query and bytes of the index, invented as everything here; one group does not say."""

HARBOUR, TIDEWATER, LANTERN = "Harbour Library", "Tidewater College", "Lantern Society"
GROUPS = (HARBOUR, TIDEWATER, LANTERN)


def group_of(tag: str) -> str:
    """The group that submits a run: its tag begins like the group's name."""
    return next(group for group in GROUPS if group.casefold().startswith(tag.partition("-")[0]))


def description_of(tag: str) -> str:
    """How a run was made, in a sentence."""
    return (METHODS[tag].__doc__ or "").strip()


def _bm25(counts: Counts, query: Counts) -> Counts:
    k1, b = 0.9, 0.4
    present = (counts > 0).sum(axis=0)
    idf = np.log(1 + (len(counts) - present + 0.5) / (present + 0.5))
    lengths = counts.sum(axis=1, keepdims=True)
    saturated = counts / (counts + k1 * (1 - b + b * lengths / lengths.mean()))
    return np.asarray(saturated @ (query * idf))


def _counts(fields: list[list[str]], vocabulary: dict[str, int]) -> Counts:
    counts = np.zeros((len(fields), len(vocabulary)))
    for row, field in enumerate(fields):
        for word, times in Counter(field).items():
            if word in vocabulary:
                counts[row, vocabulary[word]] = times
    return counts


def _lottery(docnos: Iterable[str], topic: str) -> Counts:
    draws = [sha256(id_bytes(f"{LOTTERY_SEED}\t{topic}\t{docno}")).digest()[:4] for docno in docnos]
    return np.array([int.from_bytes(draw, "big") / 2**32 for draw in draws])


def _ranking(index: Index, scores: Counts) -> Ranking:
    # Four decimals, as in a run file: the last bits of a sum may differ between machines.
    rounded = [(round(float(score), 4), docno) for score, docno in zip(scores, index.docnos, strict=True)]
    best = sorted(rounded, key=lambda pair: (pair[0], id_bytes(pair[1])), reverse=True)[:DEPTH]
    return Ranking(tuple(docno for _, docno in best), tuple(score for score, _ in best))


_MARKUP = re.compile(r"<[^>]+>")
_WORD = re.compile(r"[^\W\d_]+")

_FUNCTION_WORDS = """
a about all an and any are as at be been but by can do does for from has have how in into is it its may more
no not of off on one only or out over so some somebody such than that the their them then there these they
this those to too up was were what when where which who with would you your
"""
_WORDS_OF_NARRATIVES = "document related relevant most"

STOPWORDS = frozenset(f"{_FUNCTION_WORDS} {_WORDS_OF_NARRATIVES}".split())


def terms(text: str) -> list[str]:
    """The words of `text` in order: casefolded, in the singular, without markup, digits and stopwords."""
    words = _WORD.findall(_MARKUP.sub(" ", text).casefold())
    return [_singular(word) for word in words if len(word) > 1 and word not in STOPWORDS]


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
