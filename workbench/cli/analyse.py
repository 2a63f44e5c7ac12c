"""`workbench analyse`: runs before any of their documents is judged; and the text of every analysis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from workbench.cli.output import TIES, all_of, json_flag, number_setting, say_json, say_notes, say_table
from workbench.cli.qrels_files import GROUPS, read_groups
from workbench.cli.runs import RunFiles, read_runs, run_arguments
from workbench.pooling.analysis import (
    BEYOND,
    NEAR_DUPLICATE,
    PARTS,
    TABLES,
    Analysis,
    analysis,
    examine,
    short_depths,
)
from workbench.records import TieRule

MOST_PAIRS = 50
_OF_JUDGED = frozenset({"judged", "relevant", "relevant_alone"})


part_options = all_of(
    click.option("--part", type=click.Choice(PARTS), help="Print only this part; default all."),
    json_flag(help="One JSON object with all rows."),
)
"""The command receives `part` (None for all) and `as_json`."""


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
        say_notes(_notes(one, found))


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
        some = every[:MOST_PAIRS] if name == "overlap" else every
        if name == "growth":
            some = [every[depth - 1] for depth in short_depths(found)]
        rows = [
            [f"{row[at]:z.4f}" if isinstance(row[at], float) else row[at] for at in shown] for row in some
        ]
        numeric = [to for to, at in enumerate(shown) if not isinstance(every[0][at], str)]
        say_table([table.columns[at] for at in shown], rows, numeric=numeric)


def _notes(part: str, found: Analysis) -> Iterator[str]:
    if part == "overlap":
        if len(found.alike) > MOST_PAIRS:
            yield f"the {MOST_PAIRS} most alike of {len(found.alike)} pairs; --json has all"
        if found.near_duplicates:
            yield f"{len(found.near_duplicates)} pairs share {NEAR_DUPLICATE:.0%} or more: near-duplicates"
    elif part == "ties":
        let_in, kept_out = len(found.decided.let_in), len(found.decided.kept_out)
        yield f"the tie rule included {let_in} pairs and excluded {kept_out}"
    elif part == "topics":
        yield f"median {found.median:g} pairs; {len(found.unusual)} topics are much larger or smaller"


_TITLES = {
    "contributions": "contributions of runs",
    "groups": "contributions of groups",
    "overlap": "most alike runs",
    "ties": "ties across the cut",
    "tie-rules": "the pool under each tie rule",
}


@click.command("analyse")
@run_arguments()
@number_setting("--depth", default=100, help="Depth of the pool.")
@TIES
@GROUPS
@part_options
def command(
    runs: RunFiles, depth: int, ties: TieRule, groups_file: str | None, part: str | None, as_json: bool
) -> None:
    """Analyse the depth pool that these RUNs would make, before anybody judges.

    Growth by depth, contributions of each run and its unique ones, overlap of runs (shared pairs over the
    pairs of either), ties at the cut, and sizes of topics. Files may be gzip; - is standard input.
    """
    groups = read_groups(groups_file) if groups_file is not None else {}
    read = read_runs(runs, warnings=False, depth=BEYOND * depth, ties=None)
    say_analysis(analysis(examine(read, depth=depth, ties=ties), groups=groups), part, as_json=as_json)
