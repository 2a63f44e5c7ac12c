"""Qrels on the command line as scoring reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from workbench.cli.inputs import open_input
from workbench.cli.output import printable, say_mismatch
from workbench.cli.qrels_files import note_topics, read_judged
from workbench.formats.packed_qrels import PackedQrels, read_qrels_arrays
from workbench.records import Run
from workbench.scoring.relevance import ArrayRelevance, Relevance
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.unmatched import unmatched

AnyRun = TypeVar("AnyRun", bound=Run | RunArrays)


def read_relevance(name: str, codes: Collection[int]) -> Relevance:
    """The grades of a qrels file as `read_judged` has its lines, with the same notes and errors.

    As arrays where nothing is left out and the file is in order, in a twentieth of the time.
    """
    if codes:
        return Relevance(read_judged(name, codes))
    with open_input(name) as (stream, source):
        read = read_qrels_arrays(stream, source=source)
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
