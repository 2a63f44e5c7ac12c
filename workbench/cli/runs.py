"""Runs on the command line, read one by one: a refused one is reported together with all the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from workbench.cli.files import FILE, open_input
from workbench.cli.output import (
    Command,
    Function,
    Texts,
    all_of,
    arguments,
    say_findings,
    setting,
    with_progress,
)
from workbench.errors import Finding, InvalidInput
from workbench.frozen import frozen_dataclass
from workbench.records import Run, TieRule

# The readers of runs are imported where they are used: whoever compares assessors need not wait for them.
if TYPE_CHECKING:
    from workbench.formats.packed_runs import PackedRun
    from workbench.pooling.pool import AnyRun
    from workbench.pooling.run_tops import RunTops


@frozen_dataclass
class RunFiles:
    """The files of runs on the command line; `-` is the standard input. Runs are named by tag or by file."""

    names: Texts
    by_file: bool = False

    def named(self, run: AnyRun, file: str) -> AnyRun:
        """The run under the name that it is to have."""
        # Every kind of run is a dataclass.
        return replace(run, tag=self._name(file)) if self.by_file else run  # type: ignore[type-var]

    def _name(self, file: str) -> str:
        """The file's own name without .gz; with its folders where another file is called the same."""
        own = [PurePath(name).name.removesuffix(".gz") for name in self.names]
        name = PurePath(file).name.removesuffix(".gz")
        return name if own.count(name) < 2 else file.removesuffix(".gz")


def run_arguments(*, required: bool = True) -> Callable[[Command], Command]:
    """Give a command the arguments RUN... and the option --name-by; it receives RunFiles as `runs`."""

    def receiving(command: Function) -> Function:
        @wraps(command)
        def with_files(runs: Texts, name_by: str, **options: Any) -> Any:
            return command(runs=RunFiles(runs, name_by == "file"), **options)

        return with_files

    return all_of(
        arguments("runs", type=FILE, required=required, metavar="RUN..."),
        setting(
            "--name-by",
            type=click.Choice(["tag", "file"]),
            default="tag",
            help="Name runs by their tag, or by their file if they share a tag.",
        ),
        receiving,
    )


def read_runs(
    files: RunFiles,
    *,
    warnings: bool,
    depth: int | None = None,
    ties: TieRule | None = TieRule.TREC_EVAL,
) -> Iterator[Run]:
    """The runs of these files; none is kept.

    After a refused file no more runs are given, but the rest is still read, so that InvalidInput, raised at
    the end, holds all findings of all files. A tag that comes again is such a finding.
    `warnings` prints what the readings noticed on the error stream, and takes several times longer. With a
    `depth` only the first documents of each topic under the tie rule (None: under any of them) are needed: a
    run may hold no others.
    """

    from workbench.formats.runs import read_run, read_run_leading, read_run_top

    def read(stream: BinaryIO, source: str) -> Run:
        if warnings:
            reading = read_run(stream, source=source)
            say_findings(reading.findings)
            return reading.run
        if ties is None and depth is not None:
            return read_run_leading(stream, source=source, depth=depth).run
        return read_run_top(stream, source=source, depth=depth, ties=ties or TieRule.TREC_EVAL).run

    return _each(files, read)


def read_arrays(files: RunFiles) -> Iterator[PackedRun | Run]:
    """The whole runs, as arrays where they can be; refused ones are reported as by `read_runs`."""

    from workbench.formats.runs import read_run_arrays

    def read(stream: BinaryIO, source: str) -> PackedRun | Run:
        return read_run_arrays(stream, source=source, depth=None)

    return _each(files, read)


def read_tops(files: RunFiles, *, depth: int, ties: TieRule) -> Iterator[RunTops | Run]:
    """The first documents of these runs, best first, as arrays where they can be; none is kept.

    What is refused is reported as by `read_runs`.
    """

    from workbench.formats.runs import read_run_arrays
    from workbench.pooling.run_tops import RunTops

    def read(stream: BinaryIO, source: str) -> RunTops | Run:
        found = read_run_arrays(stream, source=source, depth=depth, ties=ties)
        if isinstance(found, Run):
            return found
        return RunTops(found.tag, found.topics, *found.ranked(depth, ties=ties))

    return _each(files, read)


def _each(files: RunFiles, read: Callable[[BinaryIO, str], AnyRun]) -> Iterator[AnyRun]:
    refused: list[Finding] = []
    sources: dict[str, str] = {}
    for name in with_progress(files.names, "Reading"):
        try:
            with open_input(name) as (stream, source):
                run = files.named(read(stream, source), source)
        except InvalidInput as error:
            refused.extend(error.findings)
            continue
        if run.tag in sources:
            refused.append(repeated_tag(run.tag, source, sources[run.tag]))
        sources.setdefault(run.tag, source)
        if not refused:
            yield run
    if refused:
        raise InvalidInput(refused)


def repeated_tag(tag: str, source: str, before: str) -> Finding:
    """Two files with one tag: which is which, nothing that is printed of them could tell."""
    if source == before:
        return Finding(source, None, "file-repeated", "the file is given twice", "leave it out once")
    return Finding(
        source,
        None,
        "tag-repeated",
        f'the tag "{tag}" is also that of {before}',
        "two runs: name them by file with --name-by file; one run in parts: put the parts into one file",
    )
