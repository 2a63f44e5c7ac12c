"""Checking a run: all errors and warnings about a file, without the run itself unless it is wanted."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import PurePath
from unicodedata import normalize

import numpy as np

from workbench.errors import Finding, InvalidInput
from workbench.figures import counted
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import LONGEST_ID, all_fit, check_ids, is_utf8
from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.packed_runs import PackedRun, read_packed
from workbench.formats.run_rules import DEFAULT_RULES, RunFindings, RunRules
from workbench.formats.run_table import (
    COLUMNS,
    Flags,
    RunTable,
    Scores,
    TopicColumns,
    finite_doubles,
    run_table,
)
from workbench.formats.source import Readable, Twice
from workbench.frozen import frozen_dataclass
from workbench.records import Ranking, id_bytes, id_text

Integers = np.ndarray[tuple[int], np.dtype[np.int64]]

TAG_LENGTH = 20
_NOT_IN_TAGS = re.compile("[^A-Za-z0-9_-]")
# From this share of the neighbours by rank on, if there are so many, it is no accident that they contradict.
_REVERSED, _FEWEST_REVERSED = 0.9, 10
# Ranks with more digits are no ranks, and would not fit into 64 bits.
_RANK_DIGITS = 18
_NAMED = 5


@dataclass(slots=True)
class _Tally:
    """How many lines share a warning, in how many topics, and the first of the lines."""

    lines: int = 0
    topics: int = 0
    first: int = 0

    def add(self, flags: Flags, lines: Integers) -> None:
        if count := int(np.count_nonzero(flags)):
            first = int(lines[flags].min())
            self.lines += count
            self.topics += 1
            self.first = min(self.first or first, first)


class RunWarnings:
    """The warnings about one run: one of each kind, with the number of its lines and the first of them.

    `cut` is the depth of the pool that the run is meant for, where it is known.
    """

    def __init__(self, findings: ErrorCollector, *, cut: int | None = None) -> None:
        self._findings = findings
        self._cut = cut
        self._tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
        self._lines = self._neighbours = 0

    def about_second_column(self, lines: int, first: int) -> None:
        """Note the number of lines whose second column is not Q0, and the first of them."""
        if lines:
            message = f"the second column is not Q0 ({lines:,} of {counted(self._lines, 'line')})"
            self._findings.add(first, "second-column", message, "write Q0, which other tools expect")

    def about_ranking(self, lines: Integers, written: Integers | list[bytes], scores: Scores | None) -> None:
        """Note warnings about the ranks and scores of a topic; scores are None where one was refused."""
        self._lines += len(lines)
        ranks = _whole(written) if isinstance(written, list) else written
        if ranks is not None:
            self._tallies["rank-repeated"].add(_repeats(ranks), lines)
        elif isinstance(written, list):
            bad = np.array([not rank.isdigit() or len(rank) > _RANK_DIGITS for rank in written])
            self._tallies["rank"].add(bad, lines)
        if scores is None:
            return
        if ranks is not None:
            self._tallies["rank-order"].add(_contradictions(ranks, scores), lines)
            self._neighbours += len(ranks) - 1
        self._tallies["ties"].add(_tied(scores), lines)
        self._tallies["near-ties"].add(_near_ties(scores), lines)
        if self._cut is not None:
            self._tallies["cut-ties"].add(_tied_at(self._cut, scores), lines)

    def about_tag(self, tag: str, file_stem: str | None) -> None:
        """Note a tag that is too long for common tools or not the name of its file."""
        if len(tag) > TAG_LENGTH:
            self._findings.add(
                None,
                "tag-length",
                f"the tag {shown(tag)} has {len(tag)} characters",
                f"shorten it if you submit to TREC, which asks for at most {TAG_LENGTH}",
            )
        if others := "".join(dict.fromkeys(_NOT_IN_TAGS.findall(tag))):
            message = f"the tag {shown(tag)} contains {shown(others)}"
            self._findings.add(
                None, "tag-characters", message, "use only letters, digits, _ and - if you submit to TREC"
            )
        if file_stem is not None and tag and tag != file_stem:
            message = f"the tag {shown(tag)} is not the name of the file"
            self._findings.add(None, "tag-name", message, "nothing to do: the tag names the run")

    def about_topics(self, sizes: dict[str, int], known: Collection[str] | None) -> None:
        """Note topics without documents, and topics with fewer documents than the largest has."""
        missing = [] if known is None else sorted(set(known) - sizes.keys())
        if missing:
            topics = f"{counted(len(missing), 'topic')} of {len(known or ()):,}"
            self._findings.add(
                None,
                "topics-missing",
                f"{topics} without documents: {_some(missing)}",
                "check that the run is complete: they count as 0 in the means",
            )
        alike: dict[str, list[str]] = {}
        for topic in sizes:
            alike.setdefault(_plain_topic(topic), []).append(topic)
        confused = [topics for topics in alike.values() if len(topics) > 1]
        if confused:
            also = f", and {counted(len(confused) - 1, 'more group')} like it" if len(confused) > 1 else ""
            message = f"topics {_some(confused[0])} could be the same one{also}"
            self._findings.add(
                None, "topics-alike", message, "check the ids: they are compared as text, and 01 is not 1"
            )
        depth = max(sizes.values(), default=0)
        short = [topic for topic, size in sizes.items() if size < depth]
        if short:
            least = min(short, key=lambda topic: sizes[topic])
            message = (
                f"{counted(len(short), 'topic')} of {len(sizes):,} with fewer than {depth:,} documents; "
                f"topic {shown(least)} has {sizes[least]:,}"
            )
            self._findings.add(None, "short-topics", message, "check that the run is complete")

    def add_tallies(self) -> None:
        """Add the warnings that were counted topic by topic; to be called once, at the end."""
        unread = "nothing to do: scores decide the order, the rank column is ignored"
        if are_distances(self._tallies["rank-order"].lines, self._neighbours):
            self._tallies["distances"] = self._tallies.pop("rank-order")
        for code, text, remedy in (
            ("rank", "the rank is not a whole number of 0 or more", unread),
            ("rank-repeated", "the rank was given to another document of the topic", unread),
            ("rank-order", "the rank contradicts the order of the scores", unread),
            (
                "distances",
                "the score is higher than at the rank before: are these distances?",
                "if lower is better, negate the scores, as the repair does; else renumber the ranks",
            ),
            (
                "ties",
                "another document of the topic has the same score",
                "nothing to do: the tie rule of the pool decides",
            ),
            (
                "near-ties",
                "another document of the topic has the same score in single precision",
                "scorers disagree on their order: write scores that differ in the first 6 digits",
            ),
            (
                "cut-ties",
                f"documents on both sides of the pool's cut at depth {self._cut} have this score",
                "nothing to do: the tie rule of the pool decides which are judged",
            ),
        ):
            tally = self._tallies[code]
            if tally.lines:
                share = (
                    f"{tally.lines:,} of {counted(self._lines, 'line')} in {counted(tally.topics, 'topic')}"
                )
                self._findings.add(tally.first, code, f"{text} ({share})", remedy)


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


def _whole(ranks: Sequence[bytes]) -> Integers | None:
    """Ranks as numbers, or None where one of them is none."""
    if b"".join(ranks).isdigit() and all(map(len, ranks)) and max(map(len, ranks)) <= _RANK_DIGITS:
        return np.array(list(map(int, ranks)), dtype=np.int64)
    return None


def _repeats(ranks: Integers) -> Flags:
    """Which documents have a rank that an earlier one has."""
    flags = np.ones(len(ranks), dtype=np.bool_)
    flags[np.unique(ranks, return_index=True)[1]] = False
    return flags


def _contradictions(ranks: Integers, scores: Scores) -> Flags:
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


def _at(order: Integers, flags: Flags) -> Flags:
    """Flags given in an order, put back where the documents stand in the file."""
    placed = np.empty(len(flags), dtype=np.bool_)
    placed[order] = flags
    return placed


def _plain_topic(topic: str) -> str:
    """A topic's id without what is easily lost: zeros before a number, and how characters are composed."""
    text = normalize("NFC", topic)
    return text.lstrip("0") or "0" if text.isascii() and text.isdecimal() else text


def _some(ids: list[str]) -> str:
    rest = len(ids) - _NAMED
    return ", ".join(map(shown, ids[:_NAMED])) + (f" and {rest:,} more" if rest > 0 else "")


_SCORE = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")


_SUFFIXES = (".txt", ".run", ".trec", ".res", ".results", ".tsv", ".out")


@frozen_dataclass
class Expected:
    """What a run is checked against: the topics and docnos that exist, where known, and the rules.

    `cut` is the depth of the pool that the run is meant for, where known. With `storable` ids must be UTF-8,
    as databases want them; without it that is a warning.
    """

    topics: Collection[str] | None = None
    docnos: Container[str] | None = None
    rules: RunRules = DEFAULT_RULES
    cut: int | None = None
    storable: bool = False


@frozen_dataclass
class RunCheck:
    """What a check found in a file: `tag` is None if there are errors; topics and lines are counts.

    `errors` ends with a line about those that are not listed where there are too many to list; `error_count`
    counts them all. `whole` says whether the file was read to its end.
    """

    source: str
    tag: str | None
    topics: int
    lines: int
    error_count: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    whole: bool = True


def check_run(
    stream: Readable,
    *,
    source: str,
    file_stem: str | None = None,
    expected: Expected | None = None,
    take: Callable[[str, Ranking], None] | None = None,
) -> RunCheck:
    """Check a run as `read_run` reads it, and return errors and warnings alike instead of raising.

    `take` gets the ranking of one topic after the other, in file order, as far as they could be read; the
    check itself keeps none.

    Stricter than trec_eval 9.0.8, which takes "abc" for the score 0, reads columns after the sixth as nothing
    and gives NaN an order of chance; and than NIST's check-stdtrec-run.py, which does not look at scores.
    """
    expected = expected or Expected()
    errors = RunFindings(source, expected.rules)
    warnings = RunWarnings(errors, cut=expected.cut)
    run = _without_errors(stream, source, expected) if take is None else None
    if run is not None and run.checked is not None:
        tags = {id_bytes(run.tag): 1}
        table = RunTable({}, tags, run.lines, run.checked.not_q0, run.checked.first_not_q0)
        sizes = _sizes(run)
        for begin, end in pairwise(run.starts.tolist()):
            part = slice(begin, end)
            warnings.about_ranking(run.checked.lines[part], run.checked.ranks[part], run.scores[part])
    else:
        try:
            table = run_table(stream, errors)
        except InvalidInput as unreadable:
            return unreadable_run(source, unreadable)
        sizes = _topic_sizes(table, errors, warnings, expected, take)
    for written, line in table.tags.items():
        name_of_run = id_text(written)
        check_ids(line, (name_of_run,), errors)
        _note_bytes("tag", name_of_run, line, errors, storable=expected.storable)
    # The tag is that of the first line; every further one is an error at its first line.
    only, *others = table.tags or [b""]
    for other in others:
        message = f"the tag {shown(other)} differs from {shown(only)} in line {table.tags[only]}"
        remedy = "split or fix the file: it must contain one run with one tag"
        errors.add(table.tags[other], "tags", message, remedy)
    tag = id_text(only)
    if not table.lines:
        errors.add(None, "empty", "the file contains no run lines", COLUMNS)
    warnings.about_second_column(table.not_q0, table.first_not_q0)
    warnings.about_tag(tag, file_stem)
    warnings.about_topics(sizes, expected.topics)
    warnings.add_tallies()
    found = errors.findings(), errors.warnings()
    return RunCheck(source, None if errors else tag, len(sizes), table.lines, errors.count, *found)


def _without_errors(stream: Readable, source: str, expected: Expected) -> PackedRun | None:
    """A run as arrays, in a third of the time; None, the stream rewound, where anything may be wrong."""
    if expected.docnos is not None or not isinstance(stream, Twice):
        return None
    try:
        run = read_packed(stream, source=source, visible=True, checked=True)
    except (NotUnderstood, InvalidInput):
        stream.rewind()
        return None
    sizes, known = _sizes(run), expected.topics
    if max(sizes.values()) <= (expected.rules.max_per_topic or run.lines) and (
        known is None or sizes.keys() <= set(known)
    ):
        return run
    stream.rewind()
    return None


def _sizes(run: PackedRun) -> dict[str, int]:
    return dict(zip(run.topics, np.diff(run.starts).tolist(), strict=True))


def _topic_sizes(
    table: RunTable,
    errors: RunFindings,
    warnings: RunWarnings,
    expected: Expected,
    take: Callable[[str, Ranking], None] | None,
) -> dict[str, int]:
    """How many documents each topic has; notes what is wrong with them, and empties the table."""
    known = None if expected.topics is None else frozenset(expected.topics)
    most = expected.rules.max_per_topic
    sizes: dict[str, int] = {}
    for name in list(table.topics):
        # Taken out one by one, so that the file's bytes and the run are not held in full side by side.
        columns = table.topics.pop(name)
        columns.split()
        topic = id_text(name)
        sizes[topic] = len(columns.docnos)
        if known is not None and topic not in known:
            errors.add(
                columns.lines[0],
                "unknown-topic",
                f"topic {shown(topic)} is not among the topics ({counted(sizes[topic], 'line')})",
                "check the ids: they are compared as text, and 030 is not 30",
            )
        if most is not None and sizes[topic] > most:
            message = f"topic {shown(topic)} has {sizes[topic]:,} documents, more than {most:,}"
            errors.add(columns.lines[most], "too-many", message, f"keep the first {most:,}")
        scores = _scores(columns, errors)
        warnings.about_ranking(np.frombuffer(columns.lines, dtype=np.int64), columns.ranks, scores)
        docnos = _docnos(name, columns, errors, storable=expected.storable)
        if expected.docnos is not None:
            for number, docno in zip(columns.lines, docnos, strict=True):
                if docno not in expected.docnos:
                    errors.add(
                        number,
                        "unknown-document",
                        f"document {shown(docno)} is not in the collection",
                        "check that the run was made on this version of the collection",
                    )
        if take is not None:
            take(topic, Ranking(docnos, () if scores is None else tuple(scores.tolist())))
    return sizes


def unreadable_run(source: str, refused: InvalidInput) -> RunCheck:
    """The check of a run whose file could not be opened, or not be read to its end."""
    return RunCheck(source, None, 0, 0, len(refused.findings), refused.findings, (), whole=False)


def promised_tag(file_name: str) -> str:
    """The tag that a file's name promises: without .gz, a suffix for runs, and TREC's own `input.`."""
    stem = PurePath(file_name).name.removesuffix(".gz").removeprefix("input.")
    suffix = PurePath(stem).suffix
    return stem.removesuffix(suffix) if suffix in _SUFFIXES else stem


def _docnos(name: bytes, columns: TopicColumns, errors: ErrorCollector, *, storable: bool) -> tuple[str, ...]:
    """The docnos of a topic, with what is wrong with them and with the topic's own id."""
    joined = b"\n".join(columns.docnos)
    docnos = tuple(id_text(joined).split("\n"))
    topic = id_text(name)
    if not all_fit(name + b"\n" + joined) or max(map(len, (name, *columns.docnos))) > LONGEST_ID:
        for number, docno in zip(columns.lines, docnos, strict=True):
            check_ids(number, (topic, docno), errors)
    if not joined.isascii() or not name.isascii():
        _check_encoding(topic, docnos, columns.lines, errors, storable=storable)
    if len(set(docnos)) != len(docnos):
        first: dict[str, int] = {}
        for number, docno in zip(columns.lines, docnos, strict=True):
            if docno in first:
                message = f"document {shown(docno)} is already in topic {shown(topic)}, line {first[docno]}"
                errors.add(
                    number, "duplicate", message, "list a document once per topic: keep the better line"
                )
            first.setdefault(docno, number)
    return docnos


def _check_encoding(
    topic: str, docnos: tuple[str, ...], lines: array[int], errors: ErrorCollector, *, storable: bool
) -> None:
    """Note ids that are not UTF-8, and docnos that are the same text in other bytes."""
    _note_bytes("topic", topic, lines[0], errors, storable=storable)
    first: dict[str, str] = {}
    for number, docno in zip(lines, docnos, strict=True):
        _note_bytes("document", docno, number, errors, storable=storable)
        alike = first.setdefault(normalize("NFC", docno), docno)
        if alike != docno:
            message = (
                f"document {shown(docno)} looks like another of topic {shown(topic)}, but its bytes differ"
            )
            remedy = "use the collection's Unicode form: one is composed, the other decomposed"
            errors.add(number, "docnos-alike", message, remedy)


def _note_bytes(what: str, identifier: str, line: int, errors: ErrorCollector, *, storable: bool) -> None:
    if not is_utf8(identifier):
        message = f"the {what} {shown(identifier)} is not UTF-8"
        errors.add(line, "id-encoding" if storable else "encoding", message, "convert the file to UTF-8")


def _scores(columns: TopicColumns, errors: ErrorCollector) -> Scores | None:
    """The scores of a topic as doubles in file order, or None where one of them is refused."""
    values = finite_doubles(columns.scores)
    if values is not None:
        return values
    for number, score in zip(columns.lines, columns.scores, strict=True):
        if not _SCORE.fullmatch(score) or not isfinite(float(score)):
            message = f"the score {shown(score)} is not a finite decimal number"
            errors.add(number, "score", message, "write it like 12.5 or 1.25e1, higher for better documents")
    return None
