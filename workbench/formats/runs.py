"""TREC runs, `topic Q0 docno rank score tag`: read strictly, or only as deep as pooling needs."""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import PurePath
from typing import IO

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import all_fit, check_ids, plain
from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.packed_runs import BLOCK, PackedRun, read_packed
from workbench.formats.run_rules import DEFAULT_RULES, RunFindings, RunRules
from workbench.formats.run_table import COLUMNS, Scores, TopicColumns, finite_doubles, run_table
from workbench.formats.run_warnings import RunWarnings
from workbench.formats.source import Readable
from workbench.ranking import ordered, top
from workbench.records import Ranking, Run, TieRule

_SCORE = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_SUFFIXES = (".txt", ".run", ".trec", ".res", ".results", ".tsv", ".out")


@dataclass(frozen=True, slots=True)
class RunReading:
    """A run that was accepted, the number of its lines that hold something, and the warnings about it."""

    run: Run
    lines: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class RunCheck:
    """What a check found in a file: `run` is None if there are errors; topics and lines are counts.

    `errors` ends with a line about those that are not listed where there are too many to list; `error_count`
    counts them all. `whole` says whether the file was read to its end.
    """

    source: str
    run: Run | None
    topics: int
    lines: int
    error_count: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    whole: bool = True


def read_run(
    stream: Readable,
    *,
    source: str,
    file_stem: str | None = None,
    topics: Collection[str] | None = None,
    docnos: Container[str] | None = None,
    rules: RunRules = DEFAULT_RULES,
) -> RunReading:
    """Read a run, plain or gzip; the findings of the reading are warnings.

    `file_stem` is the name the tag should have; `topics` and `docnos` are those that exist, where known;
    `rules` say what else is asked. Raises InvalidInput with every error of the file.
    """
    check = check_run(stream, source=source, file_stem=file_stem, topics=topics, docnos=docnos, rules=rules)
    if check.run is None:
        raise InvalidInput(check.errors)
    return RunReading(check.run, check.lines, check.warnings)


def check_run(
    stream: Readable,
    *,
    source: str,
    file_stem: str | None = None,
    topics: Collection[str] | None = None,
    docnos: Container[str] | None = None,
    rules: RunRules = DEFAULT_RULES,
    cut: int | None = None,
    max_lines: int | None = None,
) -> RunCheck:
    """Check a run as `read_run` reads it, and return errors and warnings alike instead of raising.

    `cut` is the depth of the pool that the run is meant for; a file of more than `max_lines` is read no
    further.

    Stricter than trec_eval 9.0.8, which takes "abc" for the score 0, reads columns after the sixth as nothing
    and gives NaN an order of chance; and than NIST's check-stdtrec-run.py, which does not look at scores.
    """
    errors = RunFindings(source, rules)
    try:
        table = run_table(stream, errors, max_lines=max_lines)
    except InvalidInput as unreadable:
        return unreadable_run(source, unreadable)
    warnings = RunWarnings(errors, cut=cut)
    known = None if topics is None else frozenset(topics)
    sizes: dict[str, int] = {}
    rankings: dict[str, Ranking] = {}
    for name in list(table.topics):
        # Taken out one by one, so that the file's bytes and the run are not held in full side by side.
        columns = table.topics.pop(name)
        topic = name.decode("utf-8", "surrogateescape")
        sizes[topic] = len(columns.docnos)
        rankings[topic] = _ranking(topic, columns, errors, warnings)
        _check_topic(topic, columns, errors, known=known, max_per_topic=rules.max_per_topic)
        if docnos is not None:
            _check_docnos(rankings[topic].docnos, columns, docnos, errors)
    tag = _only_tag(table.tags, errors)
    if not table.lines:
        errors.add(None, "empty", "the file contains no line of a run", COLUMNS)
    warnings.about_second_column(table.not_q0, table.first_not_q0)
    warnings.about_tag(tag, file_stem)
    warnings.about_topics(sizes, known)
    warnings.add_tallies()
    run = None if errors else Run(tag, rankings)
    return RunCheck(source, run, len(sizes), table.lines, errors.count, errors.findings(), errors.warnings())


def unreadable_run(source: str, refused: InvalidInput) -> RunCheck:
    """The check of a run whose file could not be opened, or not be read to its end."""
    return RunCheck(source, None, 0, 0, len(refused.findings), refused.findings, (), whole=False)


def promised_tag(file_name: str) -> str:
    """The tag that a file's name promises: without .gz, a suffix for runs, and TREC's own `input.`."""
    stem = PurePath(file_name).name.removesuffix(".gz").removeprefix("input.")
    suffix = PurePath(stem).suffix
    return stem.removesuffix(suffix) if suffix in _SUFFIXES else stem


def write_run(run: Run) -> Iterator[bytes]:
    """The lines of a run, in its own order; the rank column is that of the one order, so scores agree.

    Raises WorkbenchError for ids that would not survive (empty, with white space) and infinite scores.
    """
    tag = plain(run.tag, "tag")
    for topic, ranking in run.rankings.items():
        name = plain(topic, "topic")
        names = [plain(docno, "docno") for docno in ranking.docnos]
        ranks = {docno: rank for rank, docno in enumerate(ordered(ranking), 1)}
        for docno, written, score in zip(ranking.docnos, names, ranking.scores, strict=True):
            if not isfinite(score):
                raise WorkbenchError(
                    f"the score of {shown(docno)} for topic {shown(topic)} is {score}",
                    remedy="only finite scores have an order",
                )
            yield b"%b Q0 %b %d %b %b\n" % (name, written, ranks[docno], repr(score).encode(), tag)


def _ranking(topic: str, columns: TopicColumns, errors: ErrorCollector, warnings: RunWarnings) -> Ranking:
    joined = b"\n".join(columns.docnos)
    docnos = tuple(joined.decode("utf-8", "surrogateescape").split("\n"))
    scores = _scores(columns, errors)
    if not all_fit(topic.encode("utf-8", "surrogateescape") + b"\n" + joined):
        for number, docno in zip(columns.lines, docnos, strict=True):
            check_ids(number, (topic, docno), errors)
    if len(set(docnos)) != len(docnos):
        _refuse_duplicates(topic, docnos, columns.lines, errors)
    warnings.about_ranking(columns, scores)
    return Ranking(docnos, () if scores is None else tuple(scores.tolist()))


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
        message = f"topic {shown(topic)} is not among the topics ({count:,} line{'s' if count > 1 else ''})"
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


def _only_tag(tags: dict[bytes, int], errors: ErrorCollector) -> str:
    """The tag of the first line; every further one is an error at its first line."""
    first, *others = tags or [b""]
    for tag in tags:
        check_ids(tags[tag], (tag.decode("utf-8", "surrogateescape"),), errors)
    for tag in others:
        message = f"the tag {shown(tag)} differs from {shown(first)} in line {tags[first]}"
        errors.add(tags[tag], "tags", message, "a file contains one run with one tag: split or fix it")
    return first.decode("utf-8", "surrogateescape")


_IN_MEMORY = 16 * 2**20


def read_run_top(
    stream: Readable,
    *,
    source: str,
    depth: int | None,
    ties: TieRule = TieRule.TREC_EVAL,
    topics: Collection[str] | None = None,
    block: int = BLOCK,
) -> RunReading:
    """Read a run, plain or gzip, and keep the first `depth` documents of each topic, best first.

    With None all are kept, in file order.

    The whole run is checked as `read_run` checks it, with the same errors, in a fraction of the time;
    warnings are not looked for. `block` is how many bytes are read at a time.
    Raises InvalidInput with every error of the file.
    """
    read = _read(stream, source=source, depth=depth, topics=topics, block=block)
    if isinstance(read, RunReading):
        run = read.run if depth is None else cut(read.run, depth, ties)
    else:
        run = read.whole() if depth is None else read.top(depth, ties=ties)
    return RunReading(run, read.lines, ())


def read_run_leading(stream: Readable, *, source: str, depth: int, block: int = BLOCK) -> RunReading:
    """Read a run as `read_run_top` does, but keep whatever can be among the first under any tie rule.

    That is at least the first `depth` documents of each topic and those tied with the last of them, in file
    order, so that every rule can still be applied.
    """
    read = _read(stream, source=source, depth=depth, block=block)
    return RunReading(read.run if isinstance(read, RunReading) else read.leading(), read.lines, ())


def read_run_arrays(
    stream: Readable, *, source: str, depth: int, ties: TieRule = TieRule.TREC_EVAL
) -> PackedRun | Run:
    """Read a run as `read_run_top` does; as arrays, from which no strings need be made, where it can be."""
    read = _read(stream, source=source, depth=depth)
    return cut(read.run, depth, ties) if isinstance(read, RunReading) else read


def _read(
    stream: Readable,
    *,
    source: str,
    depth: int | None,
    topics: Collection[str] | None = None,
    block: int = BLOCK,
) -> PackedRun | RunReading:
    """A run as arrays to the depth, or whole from the plain reader where the fast one does not understand."""
    twice = _Twice(stream)
    try:
        return read_packed(twice, source=source, depth=depth, topics=topics, block=block)
    except NotUnderstood:
        twice.rewind()
        return read_run(twice, source=source, topics=topics)
    finally:
        twice.forget()


class _Twice:
    """A stream that can be read from its beginning once more; one that cannot seek is remembered."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._begin = stream.tell() if isinstance(stream, io.IOBase) and stream.seekable() else None
        self._memory = None if self._begin is not None else _memory()
        self._rewound = False

    def read(self, size: int, /) -> bytes:
        if self._memory is None:
            return self._stream.read(size)
        if self._rewound and (remembered := self._memory.read(size)):
            return remembered
        data = self._stream.read(size)
        if not self._rewound:
            self._memory.write(data)
        return data

    def rewind(self) -> None:
        self._rewound = True
        if self._memory is not None:
            self._memory.seek(0)
        elif self._begin is not None and isinstance(self._stream, io.IOBase):
            self._stream.seek(self._begin)

    def forget(self) -> None:
        if self._memory is not None:
            self._memory.close()


def _memory() -> IO[bytes]:
    # Imported here, since it imports every compression that there is, and few streams cannot seek.
    import tempfile

    return tempfile.SpooledTemporaryFile(_IN_MEMORY)


def cut(run: Run, depth: int, ties: TieRule) -> Run:
    """The run with the first `depth` documents of each topic, best first, with their scores."""
    return Run(run.tag, {topic: _first(ranking, depth, ties) for topic, ranking in run.rankings.items()})


def _first(ranking: Ranking, depth: int, ties: TieRule) -> Ranking:
    docnos = top(ranking, depth, ties=ties)
    scores: Mapping[str, float] = dict(zip(ranking.docnos, ranking.scores, strict=True))
    return Ranking(docnos, tuple(scores[docno] for docno in docnos))
