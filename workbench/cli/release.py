"""`workbench release`: releases as files, checked and compared without a server or a database."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from tempfile import TemporaryFile
from typing import Any

import click

from workbench.cli.files import FILE, open_input, read_each
from workbench.cli.main import CommandGroup
from workbench.cli.output import (
    FIRST_AND_SECOND,
    JSON_OBJECT,
    MEASURE,
    REFUSED,
    Texts,
    arguments,
    csv_flag,
    figure,
    json_flag,
    one_form,
    print_export,
    record_json,
    repeatable,
    say_aside,
    say_figures,
    say_findings,
    say_json,
    say_table,
    text_option,
)
from workbench.cli.qrels_files import matched
from workbench.errors import Finding, InvalidInput, finding_to_json
from workbench.figures import counted
from workbench.formats.documents import read_documents
from workbench.formats.runs import read_run
from workbench.records import Document
from workbench.releases.check import DocumentCheck, ReleaseCheck, check_documents, check_release
from workbench.releases.comparison import (
    ChangedPair,
    RankingEffect,
    ReleaseComparison,
    SwapTest,
    compare_releases,
    comparison_export,
)
from workbench.releases.record_form import moment
from workbench.releases.zipped import ZippedFiles, ZippedRelease
from workbench.scoring.relevance import Relevance


@click.group("release", cls=CommandGroup)
def command() -> None:
    """Check releases of test collections, and compare two of them; no server is needed."""


@command.command("check")
@arguments("releases", metavar="FILE...")
@text_option("--sha256", help="SHA-256 of the whole file, as shown on the release's page.")
@repeatable(
    "--documents",
    type=FILE,
    help="A file of the collection (repeatable); its texts are compared with those that were judged.",
)
@json_flag(help="A JSON array with one object per release.")
def check(releases: Texts, sha256: str, documents: Texts, as_json: bool) -> None:
    """Check the zips of releases, byte by byte; `-` is standard input.

    A file that is damaged, missing or added is named on standard error, with the checksum stated and the one
    found. Whoever changed a file could change its checksum too: --sha256 compares the whole with what the
    release's page says. Of a release of another version of Workbench, which writes other texts and another
    program for ir_datasets, not all can be checked. The exit code is 1 if anything was found, otherwise 0.

    With --documents each document of the release is looked up in the files of the collection. Its SHA-256 is
    that of its title, a NUL and its text; for a PDF or an image another NUL and the file's SHA-256 follow.
    """
    if (sha256 or documents) and len(releases) > 1:
        raise click.UsageError("--sha256 and --documents are for one release: give one")
    checked: list[tuple[str, ReleaseCheck]] = []
    unread: list[Finding] = []
    for name in releases:
        try:
            with open_input(name) as (stream, source):
                found = check_release(stream, source=source, sha256=sha256)
        except InvalidInput as error:
            unread.extend(error.findings)
            continue
        if len(releases) > 1:
            found = replace(found, findings=_within(source, found.findings))
        checked.append((source, found))
    first = checked[0][1].contents if checked else None
    texts = (
        check_documents(first, _documents(documents), ", ".join(documents)) if documents and first else None
    )
    if as_json:
        say_json([_json(source, one, texts) for source, one in checked])
    else:
        for _, one in checked:
            say_findings(one.findings)
        say_table(
            ["release", "version", "files", "result", "SHA-256"],
            [
                (
                    source,
                    one.contents.about.version if one.contents else "-",
                    one.members,
                    "whole" if one.whole else "damaged" if one.damaged else "of another version",
                    one.sha256,
                )
                for source, one in checked
            ],
            numeric=[2],
        )
        if texts is not None:
            say_findings(texts.findings)
            say_aside(f"{texts.same:,} of {counted(texts.stated, 'document')} as judged")
    if unread:
        raise InvalidInput(unread)
    if any(not one.whole for _, one in checked) or (texts is not None and texts.findings):
        raise SystemExit(REFUSED)


def _within(name: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings about the files of one of several releases, each named with the release that it is in."""
    return tuple(
        one if one.source == name else replace(one, source=f"{name}: {one.source}") for one in findings
    )


def _documents(names: Texts) -> Iterator[Document]:
    for name in names:
        with open_input(name) as (stream, source):
            yield from read_documents(stream, source=source)


def _json(source: str, one: ReleaseCheck, texts: DocumentCheck | None) -> dict[str, object]:
    about = one.contents.about if one.contents else None
    return {
        "file": source,
        "whole": one.whole,
        "title": about.title if about else None,
        "version": about.version if about else None,
        "files": one.members,
        "sha256": one.sha256,
        "findings": [
            finding_to_json(finding) for finding in (*one.findings, *(texts.findings if texts else ()))
        ],
        "documents": {"stated": texts.stated, "same": texts.same} if texts else None,
    }


PAIRS_AS_CSV = csv_flag(help="Every pair that differs, as CSV.")


@command.command("compare")
@FIRST_AND_SECOND
@repeatable("--run", "runs", help="A run to score (repeatable); else those in the releases.")
@MEASURE
@PAIRS_AS_CSV
@JSON_OBJECT
@one_form
def compare(first: str, second: str, runs: Texts, measure: str, form: str) -> None:
    """Compare the releases FIRST and SECOND: pairs that came, went and changed, and how the runs fare.

    Every file of both is compared with its checksum first, and a damaged release is refused.
    """
    scored = [read.run for _, read in read_each(runs, read_run)] or None
    with ExitStack() as stack:
        one, other = (stack.enter_context(_release(name)) for name in (first, second))
        if scored and one.qrels:
            scored = [matched(Relevance(one.qrels), run) for run in scored]
        found = compare_releases(one, other, runs=scored, measure=measure)
    say_comparison(found, form)


def say_comparison(found: ReleaseComparison, form: str) -> None:
    """Print a comparison for people, as JSON, or its pairs as CSV."""
    if not print_export(replace(comparison_export(found), data=partial(comparison_json, found)), form):
        _say(found)


def comparison_json(found: ReleaseComparison) -> dict[str, Any]:
    """A comparison as one JSON object."""
    return {
        "first": found.first.version,
        "second": found.second.version,
        "rules": [one.label for one in found.rules],
        "lines": list(found.lines),
        "added": [_pair_json(one) for one in found.added],
        "removed": [_pair_json(one) for one in found.removed],
        "changed": [_pair_json(one) for one in found.changed],
        "grades": [{"before": one, "after": other, "pairs": n} for one, other, n in found.grades],
        "gained": found.gained,
        "lost": found.lost,
        "ranking": None if found.ranking is None else _ranking_json(found.ranking),
        "not_ranked": found.not_ranked,
    }


def _pair_json(one: ChangedPair) -> dict[str, Any]:
    at = one.decided_at
    return asdict(one) | {"decided_at": moment(at) if isinstance(at, datetime) else None}


def _ranking_json(found: RankingEffect) -> dict[str, Any]:
    compared = found.comparison
    return {
        "measure": found.measure,
        "topics": list(found.topics),
        "runs": [asdict(one) for one in found.runs],
        "tau": compared.tau.value,
        "tau_ap": compared.tau_ap.value,
        "undefined": compared.tau.undefined,
        "swaps": [record_json(one, gaps="gap") | {"significant": one.significant} for one in found.swaps],
    }


def _say(found: ReleaseComparison) -> None:
    same = sum(count for one, other, count in found.grades if one == other)
    say_figures(
        [f"{found.first.version} to {found.second.version}", "pairs"],
        [
            ("added", len(found.added)),
            ("removed", len(found.removed)),
            ("grade changed", len(found.changed)),
            ("now relevant", found.gained),
            ("no longer relevant", found.lost),
            ("same grade", same),
        ],
    )
    click.echo()
    table = found.grade_table
    say_figures(
        [
            f"grade in {found.first.version}",
            *(f"{_grade(one)} in {found.second.version}" for one in table.columns),
        ],
        [(_grade(grade), *counts) for grade, counts in table.rows],
    )
    click.echo()
    if found.ranking is None:
        click.echo(f"The runs are not ranked: {found.not_ranked}.")
        return
    effect, compared = found.ranking, found.ranking.comparison
    say_figures(
        ["run", f"{effect.measure} before", "after", "rank before", "after"],
        [
            (one.tag, f"{one.before:.4f}", f"{one.after:.4f}", one.rank_before, one.rank_after)
            for one in effect.runs
        ],
    )
    tau = figure(compared.tau.value, ".3f", "undefined")
    click.echo(
        f"\nKendall's tau {tau} over {compared.runs:,} runs; topics in the qrels: {effect.topics[0]:,} and "
        f"{effect.topics[1]:,}; pairs of runs that swap: {compared.swapped:,}"
    )
    for swap in effect.swaps:
        click.echo(f"  {swap.ahead} was ahead of {swap.behind}: {swap_words(swap)}")
    if effect.swaps:
        click.echo(SWAP_TESTS)


SWAP_TESTS = "p of paired t tests, two-sided, corrected by Holm for all pairs of runs; significant at 0.05"


def swap_words(swap: SwapTest) -> str:
    """Whether the difference of two runs that change places is significant, before and after."""
    words = []
    for when, p, significant in zip(("before", "after"), swap.p, swap.significant, strict=True):
        tested = "not tested" if p is None else f"p {p:.3f}"
        words.append(f"{when} {tested}{' (significant)' if significant else ''}")
    return ", ".join(words)


def _grade(grade: int | None) -> str:
    return "no line" if grade is None else str(grade)


@contextmanager
def _release(name: str) -> Iterator[ZippedRelease]:
    with open_input(name) as (stream, source), TemporaryFile() as kept:
        if not stream.seekable():
            shutil.copyfileobj(stream, kept)
        with ZippedFiles(stream if stream.seekable() else kept, source=source) as files:
            try:
                files.check()
            except InvalidInput as error:
                raise InvalidInput(_within(source, error.findings)) from None
            yield ZippedRelease.of(files)
