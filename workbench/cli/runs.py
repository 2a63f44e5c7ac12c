"""Runs named on the command line, read one by one: a refused one is told together with all the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import say_findings, with_progress
from workbench.errors import Finding, InvalidInput
from workbench.formats.runs import read_run, read_run_arrays, read_run_leading, read_run_top
from workbench.pooling.candidates import AnyRun
from workbench.pooling.run_tops import RunTops
from workbench.records import Run, TieRule


def read_runs(
    names: Sequence[str],
    *,
    warnings: bool,
    unique_tags: bool = False,
    depth: int | None = None,
    ties: TieRule | None = TieRule.TREC_EVAL,
) -> Iterator[tuple[str, Run]]:
    """The runs of these files (`-` is the standard input) with the files' names; none is kept.

    After a refused file no more runs are given, but the rest is still read, so that InvalidInput, raised at
    the end, holds all findings of all files. With `unique_tags` a tag that comes again is such a finding.
    `warnings` prints what the readings noticed on the error stream, and takes several times longer. With a
    `depth` only the first documents of each topic under the tie rule (None: under any of them) are needed: a
    run may hold no others.
    """

    def read(stream: BinaryIO, source: str) -> Run:
        if warnings:
            reading = read_run(stream, source=source)
            say_findings(reading.findings)
            return reading.run
        if ties is None and depth is not None:
            return read_run_leading(stream, source=source, depth=depth).run
        return read_run_top(stream, source=source, depth=depth, ties=ties or TieRule.TREC_EVAL).run

    return _each(names, read, unique_tags=unique_tags)


def read_tops(names: Sequence[str], *, depth: int, ties: TieRule) -> Iterator[RunTops | Run]:
    """The first documents of these runs, best first, as arrays where they can be; none is kept.

    What is refused is told as by `read_runs`; so is a tag that comes again.
    """

    def read(stream: BinaryIO, source: str) -> RunTops | Run:
        found = read_run_arrays(stream, source=source, depth=depth, ties=ties)
        if isinstance(found, Run):
            return found
        return RunTops(found.tag, found.topics, *found.ranked(depth, ties=ties))

    return (run for _, run in _each(names, read, unique_tags=True))


def _each(
    names: Sequence[str], read: Callable[[BinaryIO, str], AnyRun], *, unique_tags: bool
) -> Iterator[tuple[str, AnyRun]]:
    refused: list[Finding] = []
    sources: dict[str, str] = {}
    for name in with_progress(names, "Reading"):
        try:
            with open_input(name) as (stream, source):
                run = read(stream, source)
        except InvalidInput as error:
            refused.extend(error.findings)
            continue
        if unique_tags and run.tag in sources:
            refused.append(_repeated(run.tag, source, sources[run.tag]))
        sources.setdefault(run.tag, source)
        if not refused:
            yield name, run
    if refused:
        raise InvalidInput(refused)


def only_one_standard_input(names: Sequence[str]) -> None:
    """Raise click's UsageError where `-` stands for more than one file."""
    if names.count("-") > 1:
        raise click.UsageError("the standard input can stand for one file only")


def _repeated(tag: str, source: str, before: str) -> Finding:
    return Finding(
        source,
        None,
        "tag-repeated",
        f'the tag "{tag}" is also that of {before}',
        "give every run once, each with its own tag",
    )
