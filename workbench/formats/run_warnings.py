"""Warnings about a run that can be read: ranks against scores, ties, the tag, topics with few documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from unicodedata import normalize

import numpy as np

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.run_table import Scores, TopicColumns

Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]

TAG_LENGTH = 20
_NOT_IN_TAGS = re.compile("[^A-Za-z0-9_-]")
# From this share of the neighbours by rank on, if there are so many, it is no accident that they contradict.
_REVERSED, _FEWEST_REVERSED = 0.9, 10
# Ranks with more digits are no ranks, and would not fit into 64 bits.
_RANK_DIGITS = 18


@dataclass(slots=True)
class _Tally:
    """How many lines share a warning, in how many topics, and the first of the lines."""

    lines: int = 0
    topics: int = 0
    first: int = 0

    def add(self, lines: int, first: int) -> None:
        self.lines += lines
        self.topics += 1
        self.first = min(self.first or first, first)


class RunWarnings:
    """The warnings about one run: one of each kind, with the number of its lines and the first of them.

    `cut` is the depth of the pool that the run is meant for, where it is known.
    """

    def __init__(self, findings: ErrorCollector, *, cut: int | None = None) -> None:
        self._findings = findings
        self._cut = cut
        self._rank, self._repeated, self._contradicted = _Tally(), _Tally(), _Tally()
        self._ties, self._near, self._at_cut = _Tally(), _Tally(), _Tally()
        self._lines = self._neighbours = 0

    def about_second_column(self, lines: int, first: int) -> None:
        """Note the number of lines whose second column is not Q0, and the first of them."""
        if lines:
            share = f"{lines:,} of {_count(self._lines, 'line')}"
            message = f"the second column is not Q0 ({share})"
            self._add(first, "second-column", message, "write Q0, which other tools expect")

    def about_ranking(self, columns: TopicColumns, scores: Scores | None) -> None:
        """Note warnings about the ranks and scores of a topic; scores are None where one was refused."""
        self._lines += len(columns.lines)
        lines = np.frombuffer(columns.lines, dtype=np.int64)
        ranks = self._ranks(columns)
        if ranks is not None:
            _note(self._repeated, _repeats(ranks), lines)
        if scores is None:
            return
        if ranks is not None:
            _note(self._contradicted, _contradictions(ranks, scores), lines)
            self._neighbours += len(ranks) - 1
        _note(self._ties, _tied(scores), lines)
        _note(self._near, _near_ties(scores), lines)
        if self._cut is not None:
            _note(self._at_cut, _tied_at(self._cut, scores), lines)

    def about_tag(self, tag: str, file_stem: str | None) -> None:
        """Note a tag that is too long for common tools or not the name of its file."""
        if len(tag) > TAG_LENGTH:
            message = f"the tag {shown(tag)} has {len(tag)} characters"
            self._add(None, "tag-length", message, f"TREC asks for at most {TAG_LENGTH}")
        if others := "".join(dict.fromkeys(_NOT_IN_TAGS.findall(tag))):
            message = f"the tag {shown(tag)} contains {shown(others)}"
            self._add(None, "tag-characters", message, "TREC's tags have letters, digits, _ and - only")
        if file_stem is not None and tag and tag != file_stem:
            message = f"the tag {shown(tag)} is not the name of the file"
            self._add(None, "tag-name", message, "nothing to do: the tag names the run")

    def about_topics(self, sizes: dict[str, int], known: Collection[str] | None) -> None:
        """Note topics without documents, and topics with fewer documents than the largest has."""
        missing = [] if known is None else sorted(set(known) - sizes.keys())
        if missing:
            message = (
                f"{_count(len(missing), 'topic')} of {len(known or ()):,} without documents: {_some(missing)}"
            )
            self._add(None, "topics-missing", message, "they count as 0 in the means")
        alike: dict[str, list[str]] = {}
        for topic in sizes:
            alike.setdefault(_plain_topic(topic), []).append(topic)
        confused = [topics for topics in alike.values() if len(topics) > 1]
        if confused:
            also = f", and {_count(len(confused) - 1, 'more group')} like it" if len(confused) > 1 else ""
            message = f"topics {_some(confused[0])} could be the same one{also}"
            self._add(None, "topics-alike", message, "ids are compared as text: 01 is not 1")
        depth = max(sizes.values(), default=0)
        short = [topic for topic, size in sizes.items() if size < depth]
        if short:
            least = min(short, key=lambda topic: sizes[topic])
            message = (
                f"{_count(len(short), 'topic')} of {len(sizes):,} with fewer than {depth:,} documents; "
                f"topic {shown(least)} has {sizes[least]:,}"
            )
            self._add(None, "short-topics", message, "is this all that the system found?")

    def add_tallies(self) -> None:
        """Add the warnings that were counted topic by topic; to be called once, at the end."""
        unread = "nothing to do: scores decide the order, the rank column is ignored"
        order = ("rank-order", "the rank contradicts the order of the scores", unread)
        if are_distances(self._contradicted.lines, self._neighbours):
            asked = "if lower is better, negate the scores, as the repair does; else renumber the ranks"
            order = ("distances", "the score is higher than at the rank before: are these distances?", asked)
        for tally, code, text, remedy in (
            (self._rank, "rank", "the rank is not a whole number of 0 or more", unread),
            (self._repeated, "rank-repeated", "the rank was given to another document of the topic", unread),
            (self._contradicted, *order),
            (
                self._ties,
                "ties",
                "another document of the topic has the same score",
                "nothing to do: the tie rule of the pool decides",
            ),
            (
                self._near,
                "near-ties",
                "another document of the topic has the same score in single precision",
                "scorers disagree on their order: write scores that differ in the first 6 digits",
            ),
            (
                self._at_cut,
                "cut-ties",
                f"the score is that of documents on both sides of the pool's cut at depth {self._cut}",
                "nothing to do: the tie rule of the pool decides which are judged",
            ),
        ):
            if tally.lines:
                share = f"{tally.lines:,} of {_count(self._lines, 'line')} in {_count(tally.topics, 'topic')}"
                self._add(tally.first, code, f"{text} ({share})", remedy)

    def _ranks(self, columns: TopicColumns) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
        numbers = _whole(columns.ranks)
        if numbers is not None:
            return numbers
        bad = np.array([not rank.isdigit() or len(rank) > _RANK_DIGITS for rank in columns.ranks])
        _note(self._rank, bad, np.frombuffer(columns.lines, dtype=np.int64))
        return None

    def _add(self, line: int | None, code: str, message: str, remedy: str) -> None:
        self._findings.add(line, code, message, remedy)


def doubtful_ranks(ranks: Sequence[bytes], scores: Scores) -> bool:
    """Whether ranks are no whole numbers, come twice, or contradict the scores."""
    numbers = _whole(ranks)
    return numbers is None or bool(_repeats(numbers).any() or _contradictions(numbers, scores).any())


def contradicting(ranks: Sequence[bytes], scores: Scores) -> tuple[int, int]:
    """How many documents contradict the one before them by rank, and of how many; 0 of 0 without ranks."""
    numbers = _whole(ranks)
    return (0, 0) if numbers is None else (int(_contradictions(numbers, scores).sum()), len(numbers) - 1)


def are_distances(contradicting: int, neighbours: int) -> bool:
    """Whether nearly all ranks run against the scores, as where the lowest score is the best."""
    return contradicting >= max(_REVERSED * neighbours, _FEWEST_REVERSED)


def _whole(ranks: Sequence[bytes]) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Ranks as numbers, or None where one of them is none."""
    if b"".join(ranks).isdigit() and all(map(len, ranks)) and max(map(len, ranks)) <= _RANK_DIGITS:
        return np.array(list(map(int, ranks)), dtype=np.int64)
    return None


def _note(tally: _Tally, flags: Flags, lines: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    count = int(np.count_nonzero(flags))
    if count:
        tally.add(count, int(lines[flags].min()))


def _repeats(ranks: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Flags:
    """Which documents have a rank that an earlier one has."""
    flags = np.ones(len(ranks), dtype=np.bool_)
    flags[np.unique(ranks, return_index=True)[1]] = False
    return flags


def _contradictions(ranks: np.ndarray[tuple[int], np.dtype[np.int64]], scores: Scores) -> Flags:
    """Which documents score more than the one before them in the order of the rank column."""
    order = np.lexsort((-scores, ranks))
    return _at(order, np.r_[False, scores[order][1:] > scores[order][:-1]])


def _tied(scores: Scores) -> Flags:
    """Which documents share their score with another."""
    order = np.argsort(scores, kind="stable")
    same = scores[order][1:] == scores[order][:-1]
    return _at(order, np.r_[same, False] | np.r_[False, same])


def _tied_at(cut: int, scores: Scores) -> Flags:
    """Which documents share the score of the last one within the cut, where the next one shares it too."""
    if len(scores) <= cut:
        return np.zeros(len(scores), dtype=np.bool_)
    best = np.sort(scores)[::-1]
    inside, outside = best[cut - 1], best[cut]
    return scores == inside if inside == outside else np.zeros(len(scores), dtype=np.bool_)


def _near_ties(scores: Scores) -> Flags:
    """Which documents have a score that differs from another's as a double, but not in single precision."""
    order = np.argsort(scores, kind="stable")
    doubles = scores[order]
    with np.errstate(over="ignore"):
        singles = doubles.astype(np.float32)
    merged = (singles[1:] == singles[:-1]) & (doubles[1:] != doubles[:-1])
    return _at(order, np.r_[merged, False] | np.r_[False, merged])


def _at(order: np.ndarray[tuple[int], np.dtype[np.int64]], flags: Flags) -> Flags:
    """Flags given in an order, put back where the documents stand in the file."""
    placed = np.empty(len(flags), dtype=np.bool_)
    placed[order] = flags
    return placed


def _plain_topic(topic: str) -> str:
    """A topic's id without what is easily lost: zeros before a number, and how characters are composed."""
    text = normalize("NFC", topic)
    return text.lstrip("0") or "0" if text.isascii() and text.isdecimal() else text


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _some(ids: list[str], *, limit: int = 5) -> str:
    rest = len(ids) - limit
    return ", ".join(shown(one) for one in ids[:limit]) + (f" and {rest:,} more" if rest > 0 else "")
