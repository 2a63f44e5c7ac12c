"""Checking a run: all errors and warnings about a file, without the run itself unless it is wanted."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Container
from dataclasses import dataclass
from math import isfinite
from pathlib import PurePath
from unicodedata import normalize

from workbench.counts import counted
from workbench.errors import Finding, InvalidInput
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import LONGEST_ID, all_fit, check_ids, is_utf8
from workbench.formats.run_rules import DEFAULT_RULES, RunFindings, RunRules
from workbench.formats.run_table import COLUMNS, Scores, TopicColumns, finite_doubles, run_table
from workbench.formats.run_warnings import RunWarnings
from workbench.formats.source import Readable
from workbench.records import Ranking

_SCORE = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")


_SUFFIXES = (".txt", ".run", ".trec", ".res", ".results", ".tsv", ".out")


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    try:
        table = run_table(stream, errors)
    except InvalidInput as unreadable:
        return unreadable_run(source, unreadable)
    warnings = RunWarnings(errors, cut=expected.cut)
    known = None if expected.topics is None else frozenset(expected.topics)
    sizes: dict[str, int] = {}
    for name in list(table.topics):
        # Taken out one by one, so that the file's bytes and the run are not held in full side by side.
        columns = table.topics.pop(name)
        columns.split()
        topic = name.decode("utf-8", "surrogateescape")
        sizes[topic] = len(columns.docnos)
        _check_topic(topic, columns, errors, known=known, max_per_topic=expected.rules.max_per_topic)
        scores = _scores(columns, errors)
        warnings.about_ranking(columns, scores)
        docnos = _docnos(name, columns, errors, storable=expected.storable)
        if expected.docnos is not None:
            _check_docnos(docnos, columns, expected.docnos, errors)
        if take is not None:
            take(topic, Ranking(docnos, () if scores is None else tuple(scores.tolist())))
    tag = _only_tag(table.tags, errors, storable=expected.storable)
    if not table.lines:
        errors.add(None, "empty", "the file contains no line of a run", COLUMNS)
    warnings.about_second_column(table.not_q0, table.first_not_q0)
    warnings.about_tag(tag, file_stem)
    warnings.about_topics(sizes, known)
    warnings.add_tallies()
    found = errors.findings(), errors.warnings()
    return RunCheck(source, None if errors else tag, len(sizes), table.lines, errors.count, *found)


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
    docnos = tuple(joined.decode("utf-8", "surrogateescape").split("\n"))
    topic = name.decode("utf-8", "surrogateescape")
    if not all_fit(name + b"\n" + joined) or max(map(len, (name, *columns.docnos))) > LONGEST_ID:
        for number, docno in zip(columns.lines, docnos, strict=True):
            check_ids(number, (topic, docno), errors)
    if not joined.isascii() or not name.isascii():
        _check_encoding(topic, docnos, columns.lines, errors, storable=storable)
    if len(set(docnos)) != len(docnos):
        _refuse_duplicates(topic, docnos, columns.lines, errors)
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
                f"document {shown(docno)} looks like another of topic {shown(topic)}, but has other bytes"
            )
            remedy = (
                "the same text is composed in one and decomposed in the other: which is the collection's?"
            )
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


def _refuse_duplicates(
    topic: str, docnos: tuple[str, ...], lines: array[int], errors: ErrorCollector
) -> None:
    first: dict[str, int] = {}
    for number, docno in zip(lines, docnos, strict=True):
        if docno in first:
            message = f"document {shown(docno)} is already in topic {shown(topic)}, line {first[docno]}"
            errors.add(number, "duplicate", message, "list a document once per topic: keep the better line")
        else:
            first[docno] = number


def _check_topic(
    topic: str,
    columns: TopicColumns,
    errors: ErrorCollector,
    *,
    known: frozenset[str] | None,
    max_per_topic: int | None,
) -> None:
    count = len(columns.docnos)
    first = columns.lines[0]
    if known is not None and topic not in known:
        message = f"topic {shown(topic)} is not among the topics ({counted(count, 'line')})"
        errors.add(first, "unknown-topic", message, "ids are compared as text: 030 is not 30")
    if max_per_topic is not None and count > max_per_topic:
        message = f"topic {shown(topic)} has {count:,} documents, more than {max_per_topic:,}"
        errors.add(columns.lines[max_per_topic], "too-many", message, f"keep the first {max_per_topic:,}")


def _check_docnos(
    docnos: tuple[str, ...], columns: TopicColumns, existing: Container[str], errors: ErrorCollector
) -> None:
    for number, docno in zip(columns.lines, docnos, strict=True):
        if docno not in existing:
            message = f"document {shown(docno)} is not in the collection"
            errors.add(number, "unknown-document", message, "was the run made on another version?")


def _only_tag(tags: dict[bytes, int], errors: ErrorCollector, *, storable: bool) -> str:
    """The tag of the first line; every further one is an error at its first line."""
    first, *others = tags or [b""]
    for tag, line in tags.items():
        name = tag.decode("utf-8", "surrogateescape")
        check_ids(line, (name,), errors)
        _note_bytes("tag", name, line, errors, storable=storable)
    for tag in others:
        message = f"the tag {shown(tag)} differs from {shown(first)} in line {tags[first]}"
        errors.add(tags[tag], "tags", message, "a file contains one run with one tag: split or fix it")
    return first.decode("utf-8", "surrogateescape")
