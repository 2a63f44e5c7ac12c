"""TREC runs, `topic Q0 docno rank score tag`: read strictly, or only as deep as pooling needs."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.identifiers import plain
from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.packed_runs import PackedRun, read_packed
from workbench.formats.source import Readable, Twice
from workbench.frozen import frozen_dataclass
from workbench.ranking import ordered, top
from workbench.records import Ranking, Run, TieRule


@frozen_dataclass
class RunReading:
    """A run that was accepted, the number of its lines that hold something, and the warnings about it."""

    run: Run
    lines: int
    findings: tuple[Finding, ...]


def read_run(stream: Readable, *, source: str) -> RunReading:
    """Read a run, plain or gzip; the findings of the reading are warnings.

    Raises InvalidInput with every error of the file.
    """
    # Imported here, since the fast reader understands nearly every run.
    from workbench.formats.run_check import check_run

    rankings: dict[str, Ranking] = {}
    check = check_run(stream, source=source, take=rankings.__setitem__)
    if check.tag is None:
        raise InvalidInput(check.errors)
    return RunReading(Run(check.tag, rankings), check.lines, check.warnings)


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
                    remedy="give finite scores",
                )
            yield b"%b Q0 %b %d %b %b\n" % (name, written, ranks[docno], repr(score).encode(), tag)


def read_run_top(
    stream: Readable,
    *,
    source: str,
    depth: int | None,
    ties: TieRule = TieRule.TREC_EVAL,
) -> RunReading:
    """Read a run, plain or gzip, and keep the first `depth` documents of each topic, best first.

    With None all are kept, in file order.

    The whole run is checked as `read_run` checks it, with the same errors, in a fraction of the time;
    warnings are not looked for.
    Raises InvalidInput with every error of the file.
    """
    read = _read(stream, source=source, depth=depth)
    if isinstance(read, RunReading):
        run = read.run if depth is None else cut(read.run, depth, ties)
    else:
        run = read.whole() if depth is None else read.top(depth, ties=ties)
    return RunReading(run, read.lines, ())


def read_run_leading(stream: Readable, *, source: str, depth: int) -> RunReading:
    """Read a run as `read_run_top` does, but keep whatever can be among the first under any tie rule.

    That is at least the first `depth` documents of each topic and those tied with the last of them, in file
    order, so that every rule can still be applied.
    """
    read = _read(stream, source=source, depth=depth)
    return RunReading(read.run if isinstance(read, RunReading) else read.leading(), read.lines, ())


def read_run_arrays(
    stream: Readable, *, source: str, depth: int | None, ties: TieRule = TieRule.TREC_EVAL
) -> PackedRun | Run:
    """Read a run as `read_run_top` does; as arrays, from which no strings need be made, where it can be."""
    read = _read(stream, source=source, depth=depth)
    if isinstance(read, RunReading):
        return read.run if depth is None else cut(read.run, depth, ties)
    return read


def _read(stream: Readable, *, source: str, depth: int | None) -> PackedRun | RunReading:
    """A run as arrays to the depth, or whole from the plain reader where the fast one does not understand."""
    twice = Twice(stream, source)
    try:
        return read_packed(twice, source=source, depth=depth, visible=True)
    except NotUnderstood:
        twice.rewind()
        return read_run(twice, source=source)
    finally:
        twice.close()


def cut(run: Run, depth: int, ties: TieRule) -> Run:
    """The run with the first `depth` documents of each topic, best first, with their scores."""
    rankings = {}
    for topic, ranking in run.rankings.items():
        docnos = top(ranking, depth, ties=ties)
        scores = dict(zip(ranking.docnos, ranking.scores, strict=True))
        rankings[topic] = Ranking(docnos, tuple(scores[docno] for docno in docnos))
    return Run(run.tag, rankings)
