"""Runs named on the command line, read one by one: a refused one is told together with all the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import say_findings, with_progress
from workbench.errors import Finding, InvalidInput
from workbench.formats.run_tops import read_run_leading, read_run_top
from workbench.formats.runs import read_run
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
    refused: list[Finding] = []
    sources: dict[str, str] = {}
    for name in with_progress(names, "Reading"):
        try:
            with open_input(name) as (stream, source):
                if warnings:
                    reading = read_run(stream, source=source)
                elif ties is None and depth is not None:
                    reading = read_run_leading(stream, source=source, depth=depth)
                else:
                    reading = read_run_top(stream, source=source, depth=depth, ties=ties or TieRule.TREC_EVAL)
        except InvalidInput as error:
            refused.extend(error.findings)
            continue
        if warnings:
            say_findings(reading.findings)
        tag = reading.run.tag
        if unique_tags and tag in sources:
            refused.append(_repeated(tag, source, sources[tag]))
        sources.setdefault(tag, source)
        if not refused:
            yield name, reading.run
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
