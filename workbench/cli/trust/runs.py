"""`workbench trust runs`: would runs be worth the same if they had not been pooled."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import click

from workbench.cli.inputs import QRELS_FILE, file_option, read_input
from workbench.cli.output import (
    MEASURE,
    POSITIVE,
    RELEVANT_FROM,
    TIES,
    data_options,
    flag,
    needed,
    part_option,
    print_export,
    say_notes,
    say_short,
    tie_option,
)
from workbench.cli.qrels_files import GROUPS, read_groups, read_tags
from workbench.cli.relevance_files import all_matched
from workbench.cli.runs import RunFiles, read_arrays, read_runs, run_arguments
from workbench.errors import WorkbenchError
from workbench.figures import between, percent
from workbench.formats.qrels import read_qrels
from workbench.pooling.depth import depth_pool
from workbench.records import Run, TieRule, grades_of
from workbench.trust.alternatives import AlternativeQrels, ranking_measure, relevance_of_any, score_under
from workbench.trust.runs import PARTS, WHOLE, OtherRuns, other_runs, pooled_pairs, qrels_without, runs_export


@click.command("runs")
@QRELS_FILE
@run_arguments()
@needed("--depth", type=POSITIVE, help="Depth of the pool.")
@GROUPS
@file_option(
    "--pooled",
    "pooled_file",
    help="Tags of the runs that were pooled, one per line; the others are late.  [default: all]",
)
@tie_option(
    "--pool-ties",
    help="Order of documents with equal scores when the pool was made.",
)
@flag("--single-runs", "single", help="Leave out single runs, not whole groups.")
@MEASURE
@RELEVANT_FROM
@TIES
@part_option(PARTS, "runs", "pooled runs, groups with what only they contributed, or late runs")
@data_options
def command(
    qrels: str,
    runs: RunFiles,
    depth: int,
    groups_file: str | None,
    pooled_file: str | None,
    pool_ties: TieRule,
    single: bool,
    measure: str,
    relevant_from: int,
    ties: TieRule,
    part: str,
    form: str,
) -> None:
    """Score RUNs by QRELS without the documents that only the run's own group brought into the pool.

    What the runs lose is what a run must expect to lose that comes after judging. Without --groups every run
    is a group of its own. Runs are read twice, so that they cannot be the standard input.
    """
    if "-" in runs.names:
        raise click.UsageError("runs are read twice: name their files")
    chosen = ranking_measure(measure)
    whole = AlternativeQrels(WHOLE, grades_of(read_input(qrels, read_qrels)), relevant_from)
    groups = read_groups(groups_file) if groups_file and not single else {}
    tags = set(read_tags(pooled_file)) if pooled_file else None
    made = depth_pool(_pooled_runs(runs, tags, depth, pool_ties), depth=depth, ties=pool_ties)
    pooled = pooled_pairs(made, whole, groups)
    read = all_matched(relevance_of_any([whole]), read_arrays(runs), lacking=True)
    scores = score_under(qrels_without(whole, pooled), read, chosen, ties=ties)
    found = other_runs(scores, whole, pooled)
    if not print_export(runs_export(found, part), form):
        columns, rows = PARTS[part](found)
        if rows:
            say_short(columns, rows, numeric_from=2 if part == "runs" else 1)
        else:
            click.echo("every run was pooled")
        say_notes(sentences(found, depth))


def _pooled_runs(files: RunFiles, tags: Collection[str] | None, depth: int, ties: TieRule) -> Iterator[Run]:
    missing = set(tags or ())
    for run in read_runs(files, warnings=False, depth=depth, ties=ties):
        missing.discard(run.tag)
        if tags is None or run.tag in tags:
            yield run
    if missing:
        raise WorkbenchError(
            f"{len(missing)} pooled runs are not among the runs given, such as {min(missing)}",
            remedy="give their files too, or correct the list",
        )


def sentences(found: OtherRuns, depth: int) -> list[str]:
    """The test in sentences: what was left out, what the runs lose, what a late run must expect."""
    unique = sum(one.unique_relevant for one in found.groups)
    lines = [
        f"{found.measure} over {found.topics} topics; the {len(found.pooled)} pooled runs of "
        f"{len(found.groups)} groups have {found.pool} pairs at depth {depth}, of which "
        f"{found.pool_judged} are judged; {found.graded - found.pool_judged} of {found.graded} judged pairs "
        "are not in that pool and are kept",
        f"{unique} relevant pairs were contributed by one group alone",
    ]
    loss = found.expected
    if loss is None:
        return [*lines, "no pooled run has a score above 0: there is nothing to lose"]
    bounds = loss.interval
    interval = (
        "" if bounds.low is None else f", 95 % interval over groups {between(bounds.low, bounds.high, 1)}"
    )
    lines.append(
        f"without what only its own group contributed, a run loses {percent(loss.mean, 1)} of its score on "
        f"average ({loss.runs} runs of {loss.groups} groups{interval}); nine in ten lose "
        f"{percent(loss.nine_in_ten, 1)} or less, {loss.largest_of} loses most, {percent(loss.largest, 1)}"
    )
    if found.pool_judged < found.pool:
        lines.append(
            f"{found.pool - found.pool_judged} pairs of this pool are not judged: if the whole pool was "
            "judged, correct "
            "the depth, the order of ties or the list of pooled runs"
        )
    return lines
