"""Blocks of a run's lines as arrays of positions, where the fast reader saves most; hashes of ids."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.formats.source import BOM, Readable
from workbench.frozen import frozen_dataclass

Positions = np.ndarray[tuple[int], np.dtype[np.intp]]
Windows = np.ndarray[tuple[int], np.dtype[np.void]]
Words = np.ndarray[tuple[int], np.dtype[np.uint64]]

LONGEST_ID = 128
"""The longest topic id, docno or tag, in bytes, that is read here."""

WORD = 8
"""Fields are looked at in words of so many bytes."""

_LONGEST_LINE = 2**20
# The words of a field may begin before it and end behind it, two fields behind it; this is no white space.
_PAD = b"." * (2 * LONGEST_ID + 2 * WORD)


class NotUnderstood(Exception):
    """The fast reader leaves a run to the plain one: it may be wrong, or right in a way that is rare."""


@frozen_dataclass
class Field:
    """One column of a block of lines: where it begins and ends in the block's text, line by line."""

    begins: Positions
    ends: Positions

    def at(self, lines: Positions) -> Field:
        """The column of these lines only (numbers from 0)."""
        return Field(self.begins[lines], self.ends[lines])


@frozen_dataclass
class Lines:
    """The lines of a block: its text, the word that begins at each byte of the text, the columns."""

    text: bytes
    words: Words
    columns: tuple[Field, ...]

    def __len__(self) -> int:
        return len(self.columns[0].begins)

    def values(self, field: Field) -> list[bytes]:
        """The bytes of a field, line by line."""
        return [self.text[a:b] for a, b in zip(field.begins.tolist(), field.ends.tolist(), strict=True)]

    def id_words(self, field: Field) -> list[Words]:
        """The words of ids, first to last, filled up with zeros; raises NotUnderstood for very long ids."""
        lengths = _lengths(field)
        words = self.words_from(field.begins, int(lengths.max(initial=1)))
        for number in range(int(lengths.min(initial=LONGEST_ID)) // WORD, len(words)):
            words[number] = words[number] & _OWN[number].take(lengths)
        return words

    def words_from(self, begins: Positions, size: int) -> list[Words]:
        """The words of so many bytes from each of these places; the last may go beyond them.

        They are fetched at once: most of the time goes into finding each place.
        """
        size = -(-size // WORD) * WORD
        windows: Windows = np.ndarray((len(self.text) - size + 1,), f"V{size}", self.text, strides=(1,))
        return list(windows[begins].view("<u8").reshape(-1, size // WORD).T)

    def changes(self) -> tuple[Positions, Positions]:
        """Where topics and where tags begin anew: the first line, and all with another than the line before.

        There may be more where lengths differ. Raises NotUnderstood for very long values.
        """
        topic, tag = self.columns[0], self.columns[-1]
        # A tag and the topic of the next line stand side by side, and so they are fetched and compared in
        # one. With the separators between and behind them no value passes for a longer one.
        width = int(_lengths(tag).max()) + int(_lengths(topic).max()) + 2
        differ = np.zeros(len(self) - 1, dtype=np.bool_)
        *words, last = self.words_from(tag.begins, width)
        for word in (*words, last << np.uint64(-width % WORD * 8)):
            differ |= word[1:] != word[:-1]
        tags = np.concatenate(([0], np.flatnonzero(differ) + 1))
        return np.concatenate(([0], tags[: np.searchsorted(tags, len(self) - 1)] + 1)), tags


def blocks(stream: Readable, size: int) -> Iterator[bytes]:
    """The content of a stream in pieces of about `size` bytes that end with a line, padded.

    The byte order mark is left out. Raises NotUnderstood for a line of more than a mebibyte.
    """
    rest = b""
    chunk = stream.read(size).removeprefix(BOM)
    unended = True
    while chunk:
        if unended:
            unended = b"\n" not in chunk
            if unended and b"\r" in chunk:
                raise NotUnderstood
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join((_PAD, rest, memoryview(chunk)[:cut], _PAD))
            rest = b""
        rest += chunk[cut:]
        if len(rest) > _LONGEST_LINE:
            raise NotUnderstood
        chunk = stream.read(size)
    if rest:
        yield b"".join((_PAD, rest, b"\n", _PAD))


def packed_lines(block: bytes, columns: int = 6) -> Lines:
    """The lines of a padded block but for blank ones; raises NotUnderstood where one has other columns."""
    if b"\0" in block or b"\x7f" in block or (b"\xef" in block and BOM in block):
        raise NotUnderstood
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    lines = _regular(block, columns)
    if lines is None:
        lines = _regular(_evened(block), columns)
    if lines is None:
        raise NotUnderstood
    return lines


def _lengths(field: Field) -> Positions:
    """How many bytes each value has; raises NotUnderstood for very long ones."""
    lengths = field.ends - field.begins
    if lengths.max(initial=0) > LONGEST_ID:
        raise NotUnderstood
    return lengths


def bits(octets: Positions) -> Words:
    """How far to shift a word for so many bytes; shifted by 64 bits or more it becomes zero in numpy."""
    return (octets * 8).view(np.uint64)


# Of each word of an id the bits that are its own, by the length of the id.
_OWN = [
    (np.uint64(1) << bits(np.clip(np.arange(LONGEST_ID + 1) - number * WORD, 0, WORD))) - np.uint64(1)
    for number in range(LONGEST_ID // WORD)
]


def _regular(block: bytes, count: int) -> Lines | None:
    """The lines of a padded block, if so many columns with one separator between them make every line."""
    octets = np.frombuffer(block, np.uint8)
    gaps = np.flatnonzero(octets <= ord(" "))
    marks = octets.take(gaps).tobytes()
    separator = b"\t" if marks.startswith(b"\t") else b" "
    if marks != (separator * (count - 1) + b"\n") * (len(gaps) // count):
        return None
    # A row for each column, so that what is computed for a column goes through memory in one piece.
    ends = np.ascontiguousarray(gaps.reshape(-1, count).T)
    begins = np.empty_like(ends)
    np.add(ends[:-1], 1, out=begins[1:])
    begins[0, :1] = len(_PAD)
    np.add(ends[-1, :-1], 1, out=begins[0, 1:])
    if (begins == ends).any():
        return None
    columns = tuple(map(Field, begins, ends))
    words: Words = np.ndarray((len(block) - WORD + 1,), np.dtype("<u8"), block, strides=(1,))
    return Lines(block, words, columns)


def _evened(block: bytes) -> bytes:
    """The same lines, but those that are blank, with one space between columns; padded again."""
    lines = block[len(_PAD) : -len(_PAD)].split(b"\n")
    rows = [b" ".join(columns) for line in lines if (columns := line.split())]
    return _PAD + b"\n".join([*rows, _PAD])


_TOPIC = np.uint64(0x9E3779B97F4A7C15)
_ROUNDS = 64


def fingerprints(hashed: Words, topics: Words) -> Words:
    """A number for each document of a topic, the one given by its hash and the other by number."""
    return hashed + topics * _TOPIC


def any_twice(prints: Words) -> bool:
    """Whether a fingerprint comes twice, or seems to.

    Each writes its place into a slot of a table. Whoever finds another place there has lost the slot, to an
    equal fingerprint or to one that only shares the slot; the latter, a few, try again among themselves.
    """
    bits = max(8, len(prints).bit_length() + 3)
    table = np.empty(1 << bits, dtype=np.int32)
    for _ in range(_ROUNDS):
        slots = (prints >> np.uint64(64 - bits)).view(np.int64)
        places = np.arange(len(prints), dtype=np.int32)
        table[slots] = places
        winners = table[slots]
        lost = np.flatnonzero(winners != places)
        if not len(lost):
            return False
        if (prints[winners[lost]] == prints[lost]).any():
            return True
        prints = prints[lost]
    return True
