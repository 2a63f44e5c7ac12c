"""`workbench analyse`: what runs look like before any of their documents is judged."""

from __future__ import annotations

import click

from workbench.cli.analysis_text import part_options, say_analysis
from workbench.cli.inputs import open_input
from workbench.cli.runs import only_one_standard_input, read_runs
from workbench.errors import Finding, InvalidInput
from workbench.pooling.analysis import analysis
from workbench.pooling.examining import BEYOND, examine
from workbench.records import TieRule


@click.command("analyse")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--depth", type=click.IntRange(1), default=100, show_default=True, help="Of the pool.")
@click.option(
    "--ties",
    type=click.Choice([rule.value for rule in TieRule]),
    default=TieRule.TREC_EVAL.value,
    show_default=True,
    help="Which of two documents with the same score comes first.",
)
@click.option(
    "--groups", "groups_file", metavar="FILE", help="Which group sent each run: lines of tag, tab, group."
)
@part_options
def command(
    runs: tuple[str, ...], depth: int, ties: str, groups_file: str | None, part: str | None, as_json: bool
) -> None:
    """Analyse the depth pool that these RUNs would make, before anybody judges.

    How it grows with its depth, what each run brings and brings alone, how alike the runs are (shared pairs
    over the pairs of either), what hangs on ties at the cut, and how large the topics are. Files may be gzip;
    - is the standard input.
    """
    only_one_standard_input(runs if groups_file is None else (*runs, groups_file))
    groups = _read_groups(groups_file) if groups_file is not None else {}
    read = read_runs(runs, warnings=False, unique_tags=True, depth=BEYOND * depth, ties=None)
    found = analysis(examine((run for _, run in read), depth=depth, ties=TieRule(ties)), groups=groups)
    say_analysis(found, part, as_json=as_json)


def _read_groups(name: str) -> dict[str, str]:
    groups: dict[str, str] = {}
    findings: list[Finding] = []
    with open_input(name) as (stream, source):
        for number, line in enumerate(stream, start=1):
            text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            tag, tab, group = text.partition("\t")
            if tab and tag and group.strip() and "\t" not in group:
                groups[tag] = group.strip()
            elif text.strip():
                findings.append(
                    Finding(source, number, "columns", "this is not a tag, a tab and a group", "write it so")
                )
    if findings:
        raise InvalidInput(findings)
    return groups
