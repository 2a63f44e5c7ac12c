"""Text to vectors: words, hashed columns, tf-idf weights, a sparse matrix of the whole collection."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.outside import unescaped_html
from workbench.records import Document, Topic, id_bytes, places_of

COLUMNS = 2**20
"""Columns into which words are hashed. With 100,000 different words one in eleven shares its column."""
FEWEST_DOCUMENTS = 2
"""A word counts if it is in so many documents; what is in one alone says nothing of any other."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Numbers = NDArray[np.intp]
Weights = NDArray[np.float32]

_TAG = re.compile(r"<[a-zA-Z/!][^<>]*>")
# Scripts without spaces between words are read by the character, as two characters or more elsewhere.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]{{2,}}")
_REMEMBERED = 2**20


def words(text: str) -> list[str]:
    """The words of a text or HTML page, in lower case: two letters or digits and more, without markup.

    >>> words("<p>The Wing's lift at Mach 2</p>")
    ['the', 'wing', 'lift', 'at', 'mach']
    """
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        text = unescaped_html(text)
    return _WORD.findall(text.lower())


def column(word: str) -> int:
    """The column of a word: its CRC-32 in UTF-8, modulo `COLUMNS`; the same on every machine.

    Source: Weinberger et al. 2009 (feature hashing), without their sign, which tf-idf weights do not need.

    >>> column("wing")
    132420
    """
    return crc32(word.encode("utf-8", "surrogatepass")) % COLUMNS


@frozen_dataclass
class Vectors:
    """A collection as tf-idf vectors of length 1: `matrix` (documents, used columns), docnos ascending.

    `places` has the row of a docno, `used` the hashed columns that are kept, ascending, `idf` their weights.
    """

    docnos: tuple[str, ...]
    places: dict[str, int]
    matrix: csr_array
    used: NDArray[np.int64]
    idf: Weights

    def __len__(self) -> int:
        return len(self.docnos)

    def vector(self, text: str) -> csr_array:
        """A text as a row (1, used columns) with this collection's weights; other words do not count."""
        counts = Counter(map(column, words(text)))
        hashed = np.array(sorted(counts), dtype=np.int64)
        counted = np.array([counts[one] for one in hashed.tolist()], dtype=np.float32)
        at = np.searchsorted(self.used, hashed)
        known = np.flatnonzero(at < len(self.used))
        known = known[self.used[at[known]] == hashed[known]]
        places = at[known].astype(np.int32)
        weights = (1 + np.log(counted[known])) * self.idf[places]
        ends = np.array([0, len(places)], dtype=np.int32)
        return csr_array((_unit(weights, ends), places, ends), shape=(1, len(self.used)))


def topic_text(topic: Topic) -> str:
    """All that a topic says of the information need."""
    return "\n".join((topic.title, topic.description, topic.narrative))


def document_text(document: Document) -> str:
    """All that a document says."""
    return f"{document.title}\n{document.text}"


def vectors_of(documents: Iterable[Document]) -> Vectors:
    """The vectors of a collection, read once; about 8 bytes for each different word of each document.

    Weights are (1 + ln tf) * (ln((1 + N) / (1 + df)) + 1), rows have length 1, and words in fewer than
    `FEWEST_DOCUMENTS` documents are left out. A document that is shown without text, such as an image, is an
    empty row. Raises WorkbenchError for no document and for a docno that comes twice.
    Source: Manning, Raghavan and Schütze 2008, section 6.4 (sublinear tf); smoothed idf as in scikit-learn.
    """
    docnos: list[str] = []
    columns, counts, lengths = array("i"), array("f"), array("q")
    known: dict[str, int] = {}
    for document in documents:
        docnos.append(document.docno)
        hashed: Counter[int] = Counter()
        for word, count in Counter(words(document_text(document))).items():
            place = known.get(word)
            if place is None:
                # A list of words of the whole web would not fit; hashing a word again costs little.
                if len(known) >= _REMEMBERED:
                    known.clear()
                place = known[word] = column(word)
            hashed[place] += count
        columns.extend(hashed.keys())
        counts.extend(hashed.values())
        lengths.append(len(hashed))
    _check_docnos(docnos)
    ends = np.concatenate(([0], np.cumsum(np.frombuffer(lengths, dtype=np.int64))))
    # An empty array has no buffer.
    weights = np.frombuffer(counts or b"", dtype=np.float32)
    places = np.frombuffer(columns or b"", dtype=np.int32)
    rows = csr_array((weights, places, ends), shape=(len(docnos), COLUMNS))
    order = sorted(range(len(docnos)), key=list(map(id_bytes, docnos)).__getitem__)
    if order != list(range(len(order))):
        rows = rows[order]
    del columns, counts, lengths, places, weights, ends
    return _weighted(tuple(docnos[at] for at in order), rows)


def _check_docnos(docnos: list[str]) -> None:
    if not docnos:
        raise WorkbenchError("there are no documents", remedy="give the documents of the collection")
    if len(set(docnos)) < len(docnos):
        docno, times = Counter(docnos).most_common(1)[0]
        raise WorkbenchError(f"document {docno} is listed {times} times", remedy="keep one of them")


def _weighted(docnos: tuple[str, ...], rows: csr_array) -> Vectors:
    """The counts of words as tf-idf vectors; rare columns are dropped."""
    frequencies = np.bincount(rows.indices, minlength=COLUMNS)
    used = np.flatnonzero(frequencies >= FEWEST_DOCUMENTS)
    numbers = np.full(COLUMNS, -1, dtype=np.int32)
    numbers[used] = np.arange(len(used), dtype=np.int32)
    kept = frequencies[rows.indices] >= FEWEST_DOCUMENTS
    ends = np.concatenate(([0], np.cumsum(kept)))[rows.indptr]
    # Places of 32 bits take half of the memory, and serve until there are two thousand million of them.
    ends = ends.astype(np.int32 if ends[-1] < 2**31 else np.int64)
    indices = numbers[rows.indices[kept]].astype(ends.dtype, copy=False)
    idf = (np.log((1 + len(docnos)) / (1 + frequencies[used])) + 1).astype(np.float32)
    weights = np.log(rows.data[kept])
    weights += 1
    weights *= idf[indices]
    matrix = csr_array((_unit(weights, ends), indices, ends), shape=(len(docnos), len(used)))
    matrix.sort_indices()
    return Vectors(docnos, places_of(docnos), matrix, used, idf)


def _unit(weights: Weights, ends: NDArray[np.integer]) -> Weights:
    """The weights of rows that end at `ends`, each divided by the row's length; empty rows stay empty."""
    rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    squares = np.bincount(rows, weights=weights.astype(np.float64) ** 2, minlength=len(ends) - 1)
    return np.asarray(weights / np.sqrt(squares)[rows], dtype=np.float32)
