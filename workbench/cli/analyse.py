"""`workbench analyse`: runs before any of their documents is judged; and the text of every analysis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from workbench.cli.output import TIES, Command, say_json, say_notes, say_table
from workbench.cli.qrels_files import read_groups
from workbench.cli.runs import RunFiles, only_one_standard_input, read_runs, run_arguments
from workbench.pooling.analysis import BEYOND, NEAR_DUPLICATE, Analysis, analysis, examine
from workbench.pooling.analysis_tables import PARTS, TABLES, short_depths
from workbench.records import TieRule

MOST_PAIRS = 50
_OF_JUDGED = frozenset({"judged", "relevant", "relevant_alone"})


def part_options(command: Command) -> Command:
    """Give a command `--part` and `--json`; it receives `part` (None for all) and `as_json`."""
    command = click.option("--json", "as_json", is_flag=True, help="One JSON object with all rows.")(command)
    return click.option("--part", type=click.Choice(list(PARTS)), help="Print only this part; default all.")(
        command
    )


def say_analysis(found: Analysis, part: str | None, *, as_json: bool) -> None:
    """Print the tables of a part, or of all parts."""
    parts = [part] if part else list(PARTS)
    if as_json:
        answer: dict[str, Any] = {
            "depth": found.depth,
            "tie_rule": str(found.ties),
            "runs": list(found.tags),
            "pairs": found.pairs,
            "largest_possible": found.largest_possible,
            "judged": found.judged,
        }
        tables = {name: TABLES[name](found).data() for one in parts for name in PARTS[one]}
        say_json(answer | {name.replace("-", "_"): records for name, records in tables.items()})
        return
    for place, one in enumerate(parts):
        for name in PARTS[one]:
            _say(name, found, titled=part is None, first=place == 0)
        say_notes(_SENTENCES.get(one, _nothing)(found))


def _say(name: str, found: Analysis, *, titled: bool, first: bool) -> None:
    table = TABLES[name](found)
    every = list(table.rows())
    if name == "groups" and not every:
        return
    if titled or name in {"groups", "tie-rules"}:
        click.echo("" if first else "\n", nl=False)
        click.echo(f"{_TITLES.get(name, name)}:" if every else f"{_TITLES.get(name, name)}: none")
    if every:
        # Before anybody has judged, nothing is known about relevance.
        shown = [at for at, column in enumerate(table.columns) if found.judged or column not in _OF_JUDGED]
        rows = [[_cell(row[at]) for at in shown] for row in _shown(name, every, found)]
        numeric = [to for to, at in enumerate(shown) if not isinstance(every[0][at], str)]
        say_table([table.columns[at] for at in shown], rows, numeric=numeric)


def _shown(name: str, rows: Sequence[Sequence[object]], found: Analysis) -> Sequence[Sequence[object]]:
    if name == "growth":
        return [rows[depth - 1] for depth in short_depths(found)]
    return rows[:MOST_PAIRS] if name == "overlap" else rows


def _cell(cell: object) -> object:
    return f"{cell:z.4f}" if isinstance(cell, float) else cell


def _about_overlap(found: Analysis) -> list[str]:
    notes = []
    if len(found.alike) > MOST_PAIRS:
        notes.append(f"the {MOST_PAIRS} most alike of {len(found.alike)} pairs; --json has all")
    if found.near_duplicates:
        notes.append(
            f"{len(found.near_duplicates)} pairs share {NEAR_DUPLICATE:.0%} or more: near-duplicates"
        )
    return notes


def _about_ties(found: Analysis) -> list[str]:
    return [
        f"the tie rule let in {len(found.decided.let_in)} pairs and kept out {len(found.decided.kept_out)}"
    ]


def _about_topics(found: Analysis) -> list[str]:
    return [f"median {found.median:g} pairs; {len(found.unusual)} topics are much larger or smaller"]


def _nothing(_found: Analysis) -> list[str]:
    return []


_TITLES = {
    "contributions": "contributions of runs",
    "groups": "contributions of groups",
    "overlap": "most alike runs",
    "ties": "ties across the cut",
    "tie-rules": "the pool under each tie rule",
}
_SENTENCES: dict[str, Callable[[Analysis], list[str]]] = {
    "overlap": _about_overlap,
    "ties": _about_ties,
    "topics": _about_topics,
}


@click.command("analyse")
@run_arguments()
@click.option("--depth", type=click.IntRange(1), default=100, show_default=True, help="Depth of the pool.")
@TIES
@click.option(
    "--groups", "groups_file", metavar="FILE", help="Groups of the runs: tag, tab, group on each line."
)
@part_options
def command(
    runs: RunFiles, depth: int, ties: str, groups_file: str | None, part: str | None, as_json: bool
) -> None:
    """Analyse the depth pool that these RUNs would make, before anybody judges.

    Growth by depth, contributions of each run and its unique ones, overlap of runs (shared pairs over the
    pairs of either), ties at the cut, and sizes of topics. Files may be gzip; - is standard input.
    """
    only_one_standard_input(runs.names if groups_file is None else (*runs.names, groups_file))
    groups = read_groups(groups_file) if groups_file is not None else {}
    read = read_runs(runs, warnings=False, depth=BEYOND * depth, ties=None)
    found = analysis(examine((run for _, run in read), depth=depth, ties=TieRule(ties)), groups=groups)
    say_analysis(found, part, as_json=as_json)
