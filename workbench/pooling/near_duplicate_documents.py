"""Which documents are nearly identical: a sketch of each for finding them fast, the texts for being sure.

The resemblance of two texts is the Jaccard coefficient of their sets of shingles, |A ∩ B| / |A ∪ B|, where a
shingle is SHINGLE words in a row (characters, in scripts without spaces). A sketch has the KEPT smallest of
a text's hashed shingles; the smallest KEPT of two sketches' union are a random sample of the union, so the
share of them that is in both estimates the resemblance without bias. Source: A. Broder, "On the resemblance
and containment of documents", SEQUENCES 1997.
"""

from __future__ import annotations

import difflib
import itertools
import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np

from workbench.frozen import frozen_dataclass

THRESHOLD = 0.9
"""From this resemblance on two texts are called nearly identical."""
SHINGLE = 5
KEPT = 128
# The estimate's standard error is sqrt(.9 * .1 / 128) = 0.027 at the threshold: nearly four of them below it.
PROMISING = 0.8
# Two texts at the threshold share each of their smallest hashes with probability .9: of 16, 4 at least.
PROBED, SHARED = 16, 4
MOST_SENTENCES = 4000
MOST_NEAR = 20
"""Of more the most alike are compared word by word: a mirror has hundreds."""

Hashes = np.ndarray[tuple[int], np.dtype[np.uint64]]

_TAG = re.compile(r"<[a-zA-Z/!][^<>]*>")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(r"\w+")
_LETTER = re.compile(f"[{_UNSPACED}]")
_WORD_OR_LETTER = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_SENTENCE = re.compile(r"[^.!?。！？؟\n]*(?:[.!?。！？؟]+[\"'»”’)\]]*|\n|$)")
_HEAD = struct.Struct("<cI")  # the form's version, how many shingles the text has
_VERSION = b"1"
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@frozen_dataclass
class TextDifference:
    """Sentences of one text in whose place another has others; either may be empty."""

    one: str
    other: str


def sketch(text: str) -> bytes:
    """The sketch of a text, at most 5 + 8 · KEPT bytes; the same on every machine."""
    hashes = _shingles(text)
    return _HEAD.pack(_VERSION, len(hashes)) + hashes[:KEPT].astype("<u8").tobytes()


def estimate(one: bytes, other: bytes) -> float:
    """The resemblance estimated from two sketches; exact where both have at most KEPT shingles."""
    (count, a), (other_count, b) = _read(one), _read(other)
    if not count or not other_count:
        return 0.0
    union = np.union1d(a, b)
    if max(count, other_count) > KEPT:
        union = union[:KEPT]
    return float((np.isin(union, a) & np.isin(union, b)).sum() / len(union))


def resemblance(one: str, other: str) -> float:
    """The resemblance of two texts, from all their shingles; 0 where either has no word."""
    a, b = _shingles(one), _shingles(other)
    if not len(a) or not len(b):
        return 0.0
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)


class SketchIndex:
    """The smallest hashes of many sketches, to find quickly which of them may resemble one."""

    def __init__(self, sketches: Mapping[str, bytes]) -> None:
        self._names = [name for name, written in sketches.items() if _HEAD.unpack_from(written)[1]]
        least = [_least(sketches[name]) for name in self._names]
        self._sizes = np.array([len(hashes) for hashes in least], dtype=np.int64)
        every = np.concatenate(least) if least else np.zeros(0, dtype=np.uint64)
        order = np.argsort(every, kind="stable")
        self._hashes = every[order]
        self._owners = np.repeat(np.arange(len(self._names)), self._sizes)[order]
        # Most documents share no hash with another one: they are found by their name.
        shared = np.flatnonzero(self._hashes[1:] == self._hashes[:-1])
        alike = {self._names[at] for at in self._owners[np.concatenate((shared, shared + 1))].tolist()}
        self._alone = {name: _least_bytes(sketches[name]) for name in self._names if name not in alike}

    def candidates(self, name: str, written: bytes) -> list[str]:
        """The names of the others whose sketches share enough of their smallest hashes with a sketch.

        Those that share the most come first. Of the smallest hashes two texts that are alike share some.
        """
        # A text may have been loaded anew since.
        if self._alone.get(name) == _least_bytes(written):
            return []
        asked = _least(written)
        begins = np.searchsorted(self._hashes, asked, "left")
        ends = np.searchsorted(self._hashes, asked, "right")
        owners = [self._owners[begin:end] for begin, end in zip(begins, ends, strict=True) if begin < end]
        if not owners:
            return []
        common = np.bincount(np.concatenate(owners), minlength=len(self._names))
        enough = common >= np.minimum(self._sizes, min(SHARED, len(asked)))
        places = np.flatnonzero(enough & (common > 0))
        places = places[np.argsort(-common[places], kind="stable")]
        found = (self._names[at] for at in places.tolist())
        return [other for other in found if other != name]


def promising(chosen: Sequence[str], sketches: Mapping[str, bytes]) -> dict[str, list[str]]:
    """The names of the sketches that may be near-duplicates of each chosen one, most alike first.

    The chosen are names of sketches too; one that has no such sketch is left out, none is its own duplicate.
    """
    index = SketchIndex(sketches)
    found: dict[str, list[str]] = {}
    for name in chosen:
        if name in sketches:
            others = {other: sketches[other] for other in index.candidates(name, sketches[name])}
            alike = most_alike(sketches[name], others)
            if alike:
                found[name] = alike
    return found


def most_alike(written: bytes, others: Mapping[str, bytes]) -> list[str]:
    """The names of those of the other sketches that may be near-duplicates of one, most alike first."""
    shares = [(-estimate(written, other), name) for name, other in others.items()]
    return [name for share, name in sorted(shares) if -share >= PROMISING]


def differences(one: str, other: str) -> tuple[TextDifference, ...]:
    """Where two texts differ, sentence by sentence; of long texts the first MOST_SENTENCES."""
    a, b = _sentences(one), _sentences(other)
    matcher = difflib.SequenceMatcher(None, _numbered(a), _numbered(b), autojunk=False)
    return tuple(
        TextDifference(" ".join(a[start:end]), " ".join(b[other_start:other_end]))
        for kind, start, end, other_start, other_end in matcher.get_opcodes()
        if kind != "equal" and a[start:end] != b[other_start:other_end]
    )


def _numbered(sentences: Sequence[str]) -> list[tuple[str, int]]:
    """Each sentence with how often it came before: aligning what repeats itself takes cubic time."""
    seen: Counter[str] = Counter()
    found = []
    for one in sentences:
        found.append((one, seen[one]))
        seen[one] += 1
    return found


def _sentences(text: str) -> list[str]:
    found = (" ".join(match[0].split()) for match in _SENTENCE.finditer(_TAG.sub(" ", text)))
    return list(itertools.islice(filter(None, found), MOST_SENTENCES))


def _shingles(text: str) -> Hashes:
    """The hashes of a text's shingles, sorted, each once; of a text of fewer words one of all of them."""
    plain = unicodedata.normalize("NFKC", _TAG.sub(" ", text)).casefold()
    words = (_WORD_OR_LETTER if _LETTER.search(plain) else _WORD).findall(plain)
    if not words:
        return np.zeros(0, dtype=np.uint64)
    numbers: dict[str, int] = {}
    for word in words:
        if word not in numbers:
            digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            numbers[word] = int.from_bytes(digest, "little")
    each = np.array([numbers[word] for word in words], dtype=np.uint64)
    width = min(SHINGLE, len(each))
    mixed = np.zeros(len(each) - width + 1, dtype=np.uint64)
    for place in range(width):
        mixed = _mix(mixed * _MULTIPLIER + each[place : len(each) - width + 1 + place])
    # Sorting is faster than the table that np.unique makes of so many different values.
    mixed.sort()
    return mixed[np.concatenate(([True], mixed[1:] != mixed[:-1]))]


def _mix(values: Hashes) -> Hashes:
    # The finaliser of splitmix64: every bit depends on every other, so the smallest are a random sample.
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _least(written: bytes) -> Hashes:
    """The smallest hashes of a sketch, PROBED at most; nothing is read beyond them."""
    return np.frombuffer(_least_bytes(written), dtype="<u8").astype(np.uint64)


def _least_bytes(written: bytes) -> bytes:
    return written[_HEAD.size : _HEAD.size + 8 * PROBED]


def _read(written: bytes) -> tuple[int, Hashes]:
    version, count = _HEAD.unpack_from(written)
    if version != _VERSION:
        raise ValueError(f"a sketch of the unknown form {version!r}")
    return count, np.frombuffer(written, dtype="<u8", offset=_HEAD.size).astype(np.uint64)
