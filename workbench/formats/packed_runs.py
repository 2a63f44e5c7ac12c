"""Runs as arrays: read several times faster than line by line, as far as they are in order.

This and `packed_lines` are the inner loop. It reads nothing that the plain reader
(`runs.read_run`) would not, and tells no errors: what it does not understand, wrong or only rare, raises
NotUnderstood, and the plain reader decides.

Scores: float() takes 0.17 microseconds a score, 0.4 with the 17 digits that Python and Java print, which is
more than a plain C program needs for a whole line; this takes 0.03 and 0.04. It reads `-12.345` and the like,
of at most 19 digits, eight at a time in 64-bit words; all else, as exponents, is left to float().

Exactness: a number is digits / 10^places. Where the digits are an integer of at most 53 bits, one division of
two exact doubles gives the nearest double. Where they are more, the division is off by less than two units in
the last place, and the remainder, an exact 64-bit integer, says by how many (the idea of W. D. Clinger, How
to read floating point numbers accurately, PLDI 1990). What that leaves undecided is left to float().
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np

from workbench.docnos import Docnos, docnos_from, hashes
from workbench.errors import WorkbenchError
from workbench.formats.identifiers import all_seen
from workbench.formats.packed_lines import (
    WORD,
    Field,
    Lines,
    NotUnderstood,
    Positions,
    Words,
    any_twice,
    bits,
    blocks,
    fingerprints,
    packed_lines,
)
from workbench.formats.run_table import MOST_LINES, Flags, Scores, finite_doubles
from workbench.formats.source import Readable, open_source
from workbench.ranking import array_order
from workbench.records import Ranking, Run, TieRule, id_text

Array = TypeVar("Array", bound=np.ndarray[Any, Any])
# So many digits make an integer below 2^64, and powers of ten up to this one are doubles.
_MOST_DIGITS, _MOST_PLACES = 19, 22
_TENS = np.array([10**places % 2**64 for places in range(_MOST_PLACES + 1)], dtype=np.uint64)
_TENS_AS_DOUBLES = np.array([10**places for places in range(_MOST_PLACES + 1)], dtype=np.float64)
_FIVES = np.array([5**places for places in range(_MOST_PLACES + 1)], dtype=np.uint64)
# So many digits make an integer that is a double.
_ALWAYS_EXACT = 15
# The integers among the doubles end here, and below half of it doubles lie closer.
_EXACT = 2**53


def _each(octet: int) -> np.uint64:
    """The word of which every byte is this."""
    return np.uint64(int.from_bytes(bytes([octet] * WORD), "little"))


_ZEROS = _each(ord("0"))
_DOTS = _each(ord(".") ^ ord("0"))
_ONES = _each(1)
_HIGH = _each(0x80)
# Added to a byte of more than 9 this makes its highest bit.
_BEYOND_NINE = _each(0x80 - 10)


def doubles(lines: Lines, field: Field) -> Scores:
    """The nearest doubles to the numbers of a field; raises NotUnderstood where one is no finite decimal."""
    first = np.frombuffer(lines.text, np.uint8).take(field.begins)
    begins, negative = field.begins, None
    # No run of positive scores has anything before its digits.
    if first.min() < ord("0"):
        negative = first == ord("-")
        begins = begins + (negative | (first == ord("+")))
    values, others = _unsigned(lines, begins, field.ends)
    if negative is not None:
        np.negative(values, out=values, where=negative)
    if len(others):
        values[others] = _by_float(lines, field.at(others))
    return values


def _unsigned(lines: Lines, begins: Positions, ends: Positions) -> tuple[Scores, Positions]:
    """Numbers without sign as doubles, and which of them are left to float()."""
    alike = _alike(lines, begins, ends)
    if alike is not None:
        return alike, np.empty(0, dtype=np.intp)
    digits, places, understood = _decimals(lines, begins, ends)
    values: Scores = digits / _TENS_AS_DOUBLES[places]
    long = np.flatnonzero(digits > _EXACT)
    if len(long):
        values[long], certain = _corrected(values[long], digits[long], places[long])
        understood[long] &= certain
    return values, np.flatnonzero(~understood)


def _alike(lines: Lines, begins: Positions, ends: Positions) -> Scores | None:
    """Numbers without sign of which all have the dot at the same place from the end, or none has a dot.

    Most systems write their scores so, and then half of the work is enough. None where they are not alike or
    have more than 15 digits.
    """
    dot = lines.text.rfind(b".", begins[0], ends[0])
    tail = int(ends[0]) - dot if dot >= 0 else 0
    lengths = ends - begins
    longest, shortest = int(lengths.max()), int(lengths.min())
    if tail > WORD or longest - bool(tail) > _ALWAYS_EXACT or shortest <= bool(tail):
        return None
    digits = np.zeros(len(lengths), dtype=np.uint64)
    wrong = np.zeros(len(lengths), dtype=np.uint64)
    size = -(-longest // WORD) * WORD
    for at, word in zip(range(size, 0, -WORD), lines.words_from(ends - size, size), strict=True):
        word = word ^ _ZEROS
        if shortest < at:
            before = bits(np.maximum(at - lengths, 0))
            word >>= before
            word <<= before
        if at == WORD and tail:
            # A dot becomes the digit 0, and nothing else does.
            word ^= np.uint64((ord(".") ^ ord("0")) << 8 * (WORD - tail))
            wrong |= word & np.uint64(0xFF << 8 * (WORD - tail))
        wrong |= _beyond_nine(word)
        digits *= _TENS[WORD]
        digits += _eight_digits(word)
    if wrong.any():
        return None
    if tail:
        # Take out the digit that was the dot: what stands before it goes down from 10^tail to a tenth of it.
        digits -= digits // _TENS[tail] * (9 * _TENS[tail - 1])
    values: Scores = digits / _TENS_AS_DOUBLES[max(tail - 1, 0)]
    return values


def whole_numbers(lines: Lines, field: Field) -> Positions:
    """The whole numbers of a field; raises NotUnderstood where one is none or has more than 15 digits."""
    begins, ends = field.begins, field.ends
    # Numbers with a dot are alike too.
    values = _alike(lines, begins, ends) if lines.text.find(b".", begins[0], ends[0]) < 0 else None
    if values is None:
        raise NotUnderstood
    return values.astype(np.int64)


def _by_float(lines: Lines, field: Field) -> Scores:
    values = finite_doubles(lines.values(field))
    if values is None:
        raise NotUnderstood
    return values


def _decimals(lines: Lines, begins: Positions, ends: Positions) -> tuple[Words, Positions, Flags]:
    """Numbers without sign as all their digits and the places behind the dot; and which are understood."""
    lengths = ends - begins
    front = lines.words[begins] ^ _ZEROS
    whole = np.minimum(_before_dot(front), lengths)
    places = np.maximum(lengths - whole - 1, 0)
    count = whole + places
    understood = (count > 0) & (places <= _MOST_PLACES) & ((whole < WORD) | (lengths <= WORD))
    if not understood.all():
        places[~understood] = 0
    front <<= bits(WORD - whole)
    digits, wrong = _eight_digits(front), _beyond_nine(front)
    understood &= (count <= _MOST_DIGITS) | (digits == 0)
    digits *= _TENS[places]
    size = -(-int(places.max(initial=0)) // WORD) * WORD
    tails = lines.words_from(ends - size, size)[::-1] if size else []
    for behind, tail in zip(range(0, size, WORD), tails, strict=True):
        before = bits(np.maximum(behind + WORD - places, 0))
        tail = (tail ^ _ZEROS) >> before << before
        more = _eight_digits(tail)
        wrong |= _beyond_nine(tail)
        if behind == 2 * WORD:
            understood &= more < _TENS[_MOST_DIGITS - behind]
        digits += more * _TENS[behind]
    return digits, places, understood & (wrong == 0)


def _before_dot(front: Words) -> Positions:
    """How many bytes of a word stand before its first dot; eight where it has none."""
    others = front ^ _DOTS
    # The highest bit of the first byte that is zero (and perhaps of later ones); then all bits below it.
    found = (others - _ONES) & ~others & _HIGH
    return np.bitwise_count((found - np.uint64(1)) & ~found).astype(np.intp) >> 3


def _beyond_nine(word: Words) -> Words:
    """Not zero where a byte of the word is more than 9."""
    return ((word + _BEYOND_NINE) | word) & _HIGH


def _eight_digits(word: Words) -> Words:
    """The number whose decimal digits are the bytes of a word, the first byte the highest.

    Neighbours are joined: ten times the left and the right make two digits, these four, these eight.
    """
    pairs = (word * np.uint64(1 + (10 << 8)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(1 + (100 << 16)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    return fours * np.uint64(1 + (10_000 << 32)) >> np.uint64(32)


def _corrected(quotients: Scores, digits: Words, places: Positions) -> tuple[Scores, Flags]:
    """The nearest doubles to digits / 10^places from those within two units of it; and which are certain.

    With quotient m / 2^s, m an integer of 53 bits, the remainder is digits * 2^(s - places) - m * 5^places.
    It is less than two times 5^places, and so it is right although both products overflow.
    """
    fractions, exponents = np.frexp(quotients)
    near = np.ldexp(fractions, 53).astype(np.int64)
    shifts = 53 - exponents
    fives = _FIVES[places].view(np.int64)
    rest = (digits << (shifts - places).astype(np.uint64)).view(np.int64) - near * fives
    steps = np.rint(rest / fives).astype(np.int64)
    rest -= steps * fives
    near += steps
    certain = (2 * np.abs(rest) < fives) & (near > _EXACT // 2) & (near <= _EXACT)
    return np.ldexp(near.astype(np.float64), -shifts), certain


TOGETHER = 2**16
"""How many lines, or those of a larger topic, are looked at together for documents that come twice."""
BLOCK = 2**20
"""How many bytes are read at a time: what is made of them stays in a processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class CheckedColumns:
    """What scoring does not look at: the numbers of lines and the ranks, in the order of the documents.

    `not_q0` counts the lines whose second column is something else, `first_not_q0` is the first of them.
    """

    lines: Positions
    ranks: Positions
    not_q0: int
    first_not_q0: int


@dataclass(frozen=True, slots=True, eq=False)
class PackedRun:
    """A run as arrays: of topic number i the documents `starts[i]` to `starts[i + 1]`, in file order.

    With a `depth` only documents that can be among the first `depth` of their topic, whatever the tie rule,
    are held. `lines` counts those of the file that hold something. `hashes` are those of the docnos
    (`docnos.hashes`), where they are known; `checked` is there where it was asked for.
    """

    tag: str
    topics: tuple[str, ...]
    starts: Positions
    docnos: Docnos
    scores: Scores
    lines: int
    depth: int | None
    hashes: Words | None = None
    checked: CheckedColumns | None = None

    def first(self, depth: int, *, ties: TieRule = TieRule.TREC_EVAL) -> Positions:
        """Where the first `depth` documents of each topic stand: topic by topic, best first.

        Raises WorkbenchError where the run was not read to this depth.
        """
        if self.depth is not None and depth > self.depth:
            raise WorkbenchError(
                f"the run was read to depth {self.depth}, not {depth}", remedy="read it again"
            )
        at = _leading(self.scores, self.starts, depth)
        numbers = self.numbers(at)
        order = array_order(self.docnos[at], self.scores[at], numbers, ties)
        starts = np.searchsorted(numbers, np.arange(len(self.topics) + 1))
        return at[order[np.arange(len(at)) - starts[numbers] < depth]]

    def ranked(self, depth: int, *, ties: TieRule = TieRule.TREC_EVAL) -> tuple[Positions, Positions, Docnos]:
        """Topic number, rank (from 1) and docno of the documents that `first` gives, in its order.

        Raises WorkbenchError where the run was not read to this depth.
        """
        at = self.first(depth, ties=ties)
        numbers = self.numbers(at)
        starts = np.searchsorted(numbers, np.arange(len(self.topics) + 1))
        return numbers, np.arange(1, len(at) + 1) - starts[numbers], self.docnos[at]

    def numbers(self, at: Positions) -> Positions:
        """The numbers of the topics to which the documents at these places belong."""
        return np.searchsorted(self.starts, at, side="right") - 1

    def top(self, depth: int, *, ties: TieRule = TieRule.TREC_EVAL) -> Run:
        """The run with the first `depth` documents of each topic, best first, as `ranking.top` has them.

        Raises WorkbenchError where the run was not read to this depth.
        """
        at = self.first(depth, ties=ties)
        ends = np.searchsorted(self.numbers(at), np.arange(len(self.topics) + 1)).tolist()
        return self._run(self.docnos[at], self.scores[at], ends)

    def whole(self) -> Run:
        """The run as `read_run` has it, in file order; raises WorkbenchError where it was not read whole."""
        if self.depth is not None:
            raise WorkbenchError(f"the run was read to depth {self.depth}", remedy="read it again")
        return self.leading()

    def leading(self) -> Run:
        """The run with every document that is held, in file order."""
        return self._run(self.docnos, self.scores, self.starts.tolist())

    def _run(self, docnos: Docnos, scores: Scores, bounds: Sequence[int]) -> Run:
        names, values = _decoded(docnos), tuple(scores.tolist())
        rankings = {
            topic: Ranking(names[begin:end], values[begin:end])
            for topic, (begin, end) in zip(self.topics, pairwise(bounds), strict=True)
        }
        return Run(self.tag, rankings)


@dataclass(slots=True)
class _Pieces:
    """What is gathered from block to block: the topics' numbers, fingerprints of all lines, lines kept.

    `begins` has the number of the topic with which some lines begin, and how many lines these are; `numbers`
    are those of the lines that a depth keeps.
    """

    depth: int | None
    topics: dict[bytes, int] = field(default_factory=dict)
    tags: set[bytes] = field(default_factory=set)
    prints: list[Words] = field(default_factory=list)
    numbers: list[Positions] = field(default_factory=list)
    scores: list[Scores] = field(default_factory=list)
    docnos: list[Docnos] = field(default_factory=list)
    hashes: list[Words] = field(default_factory=list)
    begins: list[Positions] = field(default_factory=list)
    ranks: list[Positions] = field(default_factory=list)
    others: list[Positions] = field(default_factory=list)


def read_packed(
    stream: Readable,
    *,
    source: str,
    depth: int | None = None,
    visible: bool = False,
    checked: bool = False,
) -> PackedRun:
    """Read a run, plain or gzip, as arrays, of each topic what can be among its first `depth`.

    With `checked` every column is read, and blank lines, bytes that are not ASCII, and ranks that are no
    whole numbers are not understood.

    Raises NotUnderstood for a run that may be wrong, among others where, with `visible`, an id may hold what
    cannot be seen; and InvalidInput for a stream that cannot be read.
    """
    _keep_freed_memory()
    pieces, count = _Pieces(depth), 0
    for text in blocks(open_source(stream, source), BLOCK):
        if visible and not all_seen(text):
            raise NotUnderstood
        lines = packed_lines(text)
        if checked:
            if len(lines) < text.count(b"\n") or not text.isascii():
                raise NotUnderstood
            pieces.ranks.append(whole_numbers(lines, lines.columns[3]))
            pieces.others.append(_not_q0(lines, lines.columns[1]) + count)
        if len(lines):
            _add(pieces, lines)
        count += len(lines)
        if count > MOST_LINES:
            raise NotUnderstood
    if len(pieces.tags) != 1:
        raise NotUnderstood
    topics, counts = _joined(pieces.begins).reshape(-1, 2).T
    if _twice_in_a_topic(_joined(pieces.prints), topics, counts):
        raise NotUnderstood
    names = _decoded(pieces.topics)
    numbers = np.repeat(topics, counts) if depth is None else _joined(pieces.numbers)
    scores = _joined(pieces.scores)
    docnos, hashed = _joined(pieces.docnos), _joined(pieces.hashes)
    columns = _checked(pieces, count) if checked else None
    # Most files have their lines topic after topic; to move them would take a twentieth of the time.
    if (numbers[1:] < numbers[:-1]).any():
        by_topic = np.argsort(numbers, kind="stable")
        numbers, docnos, scores = numbers[by_topic], docnos[by_topic], scores[by_topic]
        hashed = hashed[by_topic]
        if columns is not None:
            columns = replace(columns, lines=columns.lines[by_topic], ranks=columns.ranks[by_topic])
    (tag,) = _decoded(pieces.tags)
    starts = np.searchsorted(numbers, np.arange(len(names) + 1))
    return PackedRun(tag, names, starts, docnos, scores, count, depth, hashed, columns)


def _joined(pieces: list[Array]) -> Array:
    """The pieces in one, and not twice in memory for longer than that takes."""
    joined = cast(Array, np.concatenate(pieces))
    pieces.clear()
    return joined


def _twice_in_a_topic(prints: Words, numbers: Positions, counts: Positions) -> bool:
    """Whether a fingerprint comes twice, of lines that begin with these topics in turn, so many of each.

    Where each topic has its lines in one place, some are looked at at a time, in a processor's cache.
    """
    if (numbers[1:] < numbers[:-1]).any():
        return any_twice(prints)
    begins = (np.cumsum(counts) - counts)[np.flatnonzero(np.diff(numbers, prepend=-1))]
    places = np.searchsorted(begins, np.arange(0, len(prints), TOGETHER))
    edges = np.unique(np.append(begins[places[places < len(begins)]], len(prints)))
    return any(any_twice(prints[begin:end]) for begin, end in pairwise(edges.tolist()))


def _not_q0(lines: Lines, second: Field) -> Positions:
    """In which lines (from 0) the second column is not Q0."""
    octets = np.frombuffer(lines.text, np.uint8)
    first, last = octets.take(second.begins), octets.take(second.ends - 1)
    is_q0 = (second.ends - second.begins == 2) & (first == ord("Q")) & (last == ord("0"))
    return np.flatnonzero(~is_q0)


def _checked(pieces: _Pieces, lines: int) -> CheckedColumns:
    others = _joined(pieces.others)
    first = int(others[0]) + 1 if len(others) else 0
    return CheckedColumns(np.arange(1, lines + 1), _joined(pieces.ranks), len(others), first)


def _keep_freed_memory() -> None:
    """Keep the C library from giving every freed array back to the system, only to ask for its pages again.

    glibc does so with arrays of a block's size until it has once freed a larger one; it costs a fifth of the
    time. Nothing is written to this one, so that it takes no memory. Other systems do not mind.
    """
    np.empty(24 * 2**20, dtype=np.uint8)


def _add(pieces: _Pieces, lines: Lines) -> None:
    topic, _, docno, _, score, tag = lines.columns
    starts, tags = lines.changes()
    pieces.tags.update(lines.values(tag.at(tags)))
    known, names = pieces.topics, lines.values(topic.at(starts))
    starts = np.append(starts, len(lines))
    topics = np.array([known.setdefault(name, len(known)) for name in names])
    pieces.begins.append(np.column_stack((topics, np.diff(starts))).ravel())
    numbers = np.repeat(topics, np.diff(starts))
    words = lines.id_words(docno)
    hashed = hashes(words)
    pieces.prints.append(fingerprints(hashed, numbers.view(np.uint64)))
    scores = doubles(lines, score)
    kept: Any = slice(None)
    if pieces.depth is not None:
        kept = _leading(scores, starts, pieces.depth)
        pieces.numbers.append(numbers[kept])
    pieces.scores.append(scores[kept])
    pieces.hashes.append(hashed[kept])
    pieces.docnos.append(docnos_from([word[kept] for word in words]))


def _leading(scores: Scores, starts: Positions, depth: int) -> Positions:
    """Where the documents stand that can be among the first `depth` of their topic under some tie rule."""
    if depth < 1:
        return np.empty(0, dtype=np.intp)
    sizes = np.diff(starts)
    long = np.flatnonzero(sizes > depth)
    floors = np.full(len(sizes), -np.inf)
    rises = scores[1:] > scores[:-1]
    changes = starts[1:-1]
    rises[changes[(changes > 0) & (changes < len(scores))] - 1] = False
    if rises.any():
        for number in long.tolist():
            part, below = scores[starts[number] : starts[number + 1]], sizes[number] - depth
            floors[number] = np.partition(part, below)[below]
    else:
        floors[long] = scores[starts[long] + depth - 1]
    return np.flatnonzero(scores >= np.repeat(floors, sizes))


def _decoded(ids: Docnos | Collection[bytes]) -> tuple[str, ...]:
    listed = ids.tolist() if isinstance(ids, np.ndarray) else ids
    return tuple(id_text(b"\n".join(listed)).split("\n"))
