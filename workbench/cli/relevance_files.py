"""What scoring reads on the command line: qrels, and runs by two processes where their files are large."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from workbench.cli.inputs import is_file, open_input, read_input
from workbench.cli.output import printable, say_mismatch, with_progress
from workbench.cli.qrels_files import note_topics, read_judged
from workbench.cli.runs import RunFiles, repeated_tag
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.packed_qrels import PackedQrels, read_qrels_arrays
from workbench.formats.packed_runs import PackedRun
from workbench.formats.runs import read_run_arrays
from workbench.records import Run
from workbench.scoring.relevance import ArrayRelevance, Relevance
from workbench.scoring.run_arrays import RunArrays, unmatched

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
