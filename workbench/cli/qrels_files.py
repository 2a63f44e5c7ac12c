"""Files on the command line: qrels with the grades that are declared to be none, judgments, groups, tags.

And what scoring reads: qrels, and runs by two processes where their files are large.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO, TypeVar

from workbench.cli.files import file_option, is_file, open_input, read_each, read_input
from workbench.cli.output import Command, printable, repeatable, say_aside, say_mismatch, with_progress
from workbench.cli.runs import RunFiles, repeated_tag
from workbench.errors import Finding, InvalidInput, WorkbenchError, rejected
from workbench.figures import counted
from workbench.formats.judgments import graded_judgments
from workbench.formats.packed_runs import PackedRun
from workbench.formats.qrels import PackedQrels, read_qrels, read_qrels_arrays
from workbench.formats.runs import read_run_arrays
from workbench.records import Judgment, Qrel, Run, id_text
from workbench.scoring.relevance import ArrayRelevance, Relevance
from workbench.scoring.run_arrays import RunArrays, unmatched

_TOPICS_NAMED = 10


def cannot_judge_option(command: Command) -> Command:
    """Give a command `--cannot-judge`, repeatable; it receives the grades as `codes`."""
    return repeatable(
        "--cannot-judge",
        "codes",
        metavar="GRADE",
        type=int,
        help='A grade that means "cannot judge" and is not a judgment, such as -2 (repeatable).',
    )(command)


def read_judged(name: str, codes: Collection[int], *, subtopics: bool = False) -> tuple[Qrel, ...]:
    """The lines of a qrels file but those whose grade is among `codes`, which a note counts.

    `subtopics` as in `read_qrels`. Raises InvalidInput as that does, and where no line is left.
    """
    with open_input(name) as (stream, source):
        lines = read_qrels(stream, source=source, subtopics=subtopics)
    kept = tuple(line for line in lines if line.grade not in codes)
    if not kept:
        remedy = f"take real grades out of --cannot-judge ({_listed(codes)})"
        raise rejected(source, None, "empty", "every grade means cannot judge", remedy)
    count = len(lines) - len(kept)
    if count:
        many = "1 line has" if count == 1 else f"{count:,} lines have"
        say_aside(f"note: {source}: {many} a grade that means cannot judge ({_listed(codes)}); left out")
    topics = {line.topic for line in kept}
    gone = list(dict.fromkeys(line.topic for line in lines if line.topic not in topics))
    note_topics(gone, "topics that have no lines left are not part of any mean")
    return kept


def read_graded(name: str, codes: Collection[int]) -> tuple[Qrel, ...]:
    """The lines of a qrels file that have a grade: as `read_judged`, and without negative grades."""
    lines = read_judged(name, codes)
    with_grade = tuple(line for line in lines if line.grade >= 0)
    note_negative(name, len(lines) - len(with_grade))
    return with_grade


def note_negative(source: str, count: int) -> None:
    """Say how many lines are left out because their grade is negative; nothing where none is."""
    if count:
        lines = "1 line has a negative grade" if count == 1 else f"{count} lines have negative grades"
        say_aside(f"note: {source}: {lines}, which means not judged; left out")


def note_topics(topics: Sequence[str], what: str) -> None:
    """Say what is to know of some topics, the first of which are named; nothing where there are none."""
    if topics:
        shown = ", ".join(topics[:_TOPICS_NAMED]) + (", ..." if len(topics) > _TOPICS_NAMED else "")
        say_aside(f"note: {what}: {shown} ({len(topics)} in all)")


def _listed(codes: Collection[int]) -> str:
    return ", ".join(map(str, sorted(codes, reverse=True)))


def read_judgment_files(files: Sequence[str], codes: Sequence[int]) -> list[Judgment]:
    """The judgments of TSV files, in which each of the `codes` means cannot judge; ids may hold spaces."""
    read = read_each(files, partial(graded_judgments, codes=codes, spaced=True))
    return [judgment for _, given in read for judgment in given]


def read_qrels_by_assessor(files: Sequence[str], codes: Sequence[int]) -> list[tuple[str, list[Qrel]]]:
    """The qrels of each assessor, named by the file; negative grades, not judged, are left out and noted.

    Lines whose grade is among the `codes`, which mean cannot judge, stay as they are.
    """

    def read(stream: BinaryIO, source: str) -> list[Qrel]:
        qrels = read_qrels(stream, source=source)
        kept = [qrel for qrel in qrels if qrel.grade >= 0 or qrel.grade in codes]
        note_negative(source, len(qrels) - len(kept))
        return kept

    named = zip(_names(files), read_each(files, read), strict=True)
    return [(name, qrels) for name, (_, qrels) in named]


def _names(files: Sequence[str]) -> list[str]:
    """A name for each file: its stem, with a number where that was taken."""
    names: list[str] = []
    for file in files:
        stem = "stdin" if file == "-" else PurePath(PurePath(file).name.removesuffix(".gz")).stem
        name, number = stem, 1
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names


GROUPS = file_option("--groups", "groups_file", help="Groups of the runs: tag, tab, group on each line.")


def read_groups(name: str) -> dict[str, str]:
    """Groups of runs by tag, from lines of tag, tab and group; raises InvalidInput with every finding."""
    groups: dict[str, str] = {}
    findings: list[Finding] = []
    with open_input(name) as (stream, source):
        for number, line in enumerate(stream, start=1):
            text = id_text(line).rstrip("\r\n")
            tag, tab, group = text.partition("\t")
            if tab and tag and group.strip() and "\t" not in group:
                groups[tag] = group.strip()
            elif text.strip():
                findings.append(
                    Finding(
                        source, number, "columns", "expected a tag, a tab and a group", "correct the line"
                    )
                )
    if findings:
        raise InvalidInput(findings)
    return groups


def note_groups(groups: Mapping[str, str], tags: Iterable[str]) -> None:
    """Say which tags of a groups file are of no run that was given: a misspelt run is a group of its own."""
    strange = groups.keys() - set(tags)
    if strange:
        say_aside(
            f"note: {counted(len(strange), 'tag')} in the groups file named by --groups "
            f"{'is' if len(strange) == 1 else 'are'} of no run given, such as {printable(min(strange))}"
        )


def read_tags(name: str) -> tuple[str, ...]:
    """The tags in a file, one a line, each once; empty lines hold none."""
    with open_input(name) as (stream, _):
        lines = [id_text(line).strip() for line in stream]
    return tuple(dict.fromkeys(line for line in lines if line))


AnyRun = TypeVar("AnyRun", bound=Run | RunArrays)


def read_relevance(name: str, codes: Collection[int]) -> Relevance:
    """The grades of a qrels file as `read_judged` has its lines, with the same notes and errors.

    As arrays where nothing is left out and the file is in order, in a twentieth of the time.
    """
    if codes:
        return Relevance(read_judged(name, codes))
    read = read_input(name, read_qrels_arrays)
    return ArrayRelevance(read) if isinstance(read, PackedQrels) else Relevance(read)


def matched(relevance: Relevance, run: AnyRun) -> AnyRun:
    """The run, with a warning on the error stream where it does not belong to the qrels."""
    if warning := unmatched(relevance, run):
        say_mismatch(warning)
    return run


def all_matched(relevance: Relevance, runs: Iterable[AnyRun], *, lacking: bool = False) -> Iterator[AnyRun]:
    """Runs as `matched` has them, one by one; with `lacking` a note names the topics that one lacks."""
    for run in runs:
        yield matched(relevance, run)
        if lacking:
            has = frozenset(run.rankings if isinstance(run, Run) else run.topics)
            note_lacking(run.tag, [topic for topic in relevance.topics if topic not in has])


def note_lacking(tag: str, topics: Sequence[str]) -> None:
    """Say what becomes of the topics that a run lacks; nothing where there are none."""
    note_topics(topics, f'topics that run "{printable(tag)}" lacks count as if it retrieved nothing')


Result = TypeVar("Result")
Work = Callable[[PackedRun | Run], Any]
Outcome = tuple[list[tuple[str, Any]], Sequence[Finding]]
"""What the work makes of a run with its tag, in a list that is empty where the file is refused."""

PROCESSES = 2
LARGE = 32 * 2**20
"""The bytes of files from which a second process gains more than its start takes."""


def map_runs(files: RunFiles, work: Callable[[PackedRun | Run], Result]) -> list[Result]:
    """What `work` makes of each whole run, in the order of the files.

    Two processes share the files where they are large; what `work` returns is then sent from one to the
    other. Raises InvalidInput with all findings of all files where one is refused or has the tag of another,
    and WorkbenchError where a process is killed.
    """
    results: list[Result] = []
    refused: list[Finding] = []
    sources: dict[str, str] = {}
    with _outcomes(files, work) as outcomes:
        for name in with_progress(files.names, "Reading"):
            found, findings = next(outcomes)
            refused.extend(findings)
            for tag, result in found:
                results.append(result)
                if tag in sources:
                    refused.append(repeated_tag(tag, name, sources[tag]))
                sources.setdefault(tag, name)
    if refused:
        raise InvalidInput(refused)
    return results


@contextmanager
def _outcomes(files: RunFiles, work: Work) -> Iterator[Iterator[Outcome]]:
    if not _shared(files.names):
        yield (_outcome(files, work, name) for name in files.names)
        return
    # Imported here, since few files are large.
    import multiprocessing
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

    # A fork has the qrels already, which would take longer to send than to read.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(PROCESSES, context, _remember, (files, work)) as pool:
        try:
            yield pool.map(_remembered_outcome, files.names)
        except BrokenProcessPool as error:
            message = "a process that read runs was killed"
            raise WorkbenchError(message, remedy="free memory, or give fewer runs at a time") from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _outcome(files: RunFiles, work: Work, name: str) -> Outcome:
    """What the work makes of one file in a list, or nothing and why the file is refused."""
    try:
        with open_input(name) as (stream, source):
            run = files.named(read_run_arrays(stream, source=source, depth=None), source)
    except InvalidInput as error:
        return [], error.findings
    return [(run.tag, work(run))], ()


_remembered: list[tuple[RunFiles, Work]] = []


def _remember(files: RunFiles, work: Work) -> None:
    _remembered[:] = [(files, work)]


def _remembered_outcome(name: str) -> Outcome:
    ((files, work),) = _remembered
    return _outcome(files, work, name)


def _shared(names: Sequence[str]) -> bool:
    """Whether two processes are of use: on Linux, with two processors, for files of some size."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < PROCESSES or not all(map(is_file, names)):
        return False
    return len(names) >= PROCESSES and sum(Path(name).stat().st_size for name in names) >= LARGE
