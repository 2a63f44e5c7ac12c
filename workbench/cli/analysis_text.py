"""An analysis of runs and pools in the terminal: tables for people, one JSON object for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from workbench.cli.output import say_json, say_table
from workbench.pooling.analysis import NEAR_DUPLICATE, Analysis
from workbench.pooling.analysis_tables import PARTS, TABLES, Table, short_depths

Command = TypeVar("Command", bound=Callable[..., Any])
MOST_PAIRS = 50
_OF_JUDGED = frozenset({"judged", "relevant", "relevant_alone"})


def part_options(command: Command) -> Command:
    """Give a command `--part` and `--json`; it receives `part` (None for all) and `as_json`."""
    command = click.option("--json", "as_json", is_flag=True, help="One JSON object with all rows.")(command)
    return click.option("--part", type=click.Choice(list(PARTS)), help="Only this; everything if not given.")(
        command
    )


def say_analysis(found: Analysis, part: str | None, *, as_json: bool) -> None:
    """Print the tables of a part, or of all parts."""
    parts = [part] if part else list(PARTS)
    if as_json:
        said: dict[str, Any] = {
            "depth": found.depth,
            "tie_rule": str(found.ties),
            "runs": list(found.tags),
            "pairs": found.pairs,
            "largest_possible": found.largest_possible,
            "judged": found.judged,
        }
        tables = {name: TABLES[name](found).records() for one in parts for name in PARTS[one]}
        say_json(said | {name.replace("-", "_"): records for name, records in tables.items()})
        return
    for place, one in enumerate(parts):
        for name in PARTS[one]:
            _say(name, found, titled=part is None, first=place == 0)
        for sentence in _SENTENCES.get(one, _nothing)(found):
            click.echo(sentence, err=True)


def _say(name: str, found: Analysis, *, titled: bool, first: bool) -> None:
    table = TABLES[name](found)
    if name == "groups" and not table.rows:
        return
    if titled or name in {"groups", "tie-rules"}:
        click.echo("" if first else "\n", nl=False)
        click.echo(f"{_TITLES.get(name, name)}:" if table.rows else f"{_TITLES.get(name, name)}: none")
    if table.rows:
        # Before anybody has judged there is nothing to say of relevance.
        shown = [at for at, column in enumerate(table.columns) if found.judged or column not in _OF_JUDGED]
        rows = [[_cell(row[at]) for at in shown] for row in _shown(name, table, found)]
        numeric = [to for to, at in enumerate(shown) if not isinstance(table.rows[0][at], str)]
        say_table([table.columns[at] for at in shown], rows, numeric=numeric)


def _shown(name: str, table: Table, found: Analysis) -> Sequence[tuple[object, ...]]:
    if name == "growth":
        return [table.rows[depth - 1] for depth in short_depths(found)]
    return table.rows[:MOST_PAIRS] if name == "overlap" else table.rows


def _cell(cell: object) -> object:
    return f"{cell:.4f}" if isinstance(cell, float) else cell


def _about_overlap(found: Analysis) -> list[str]:
    said = []
    if len(found.alike) > MOST_PAIRS:
        said.append(f"the {MOST_PAIRS} most alike of {len(found.alike)} pairs; --json has all")
    if found.near_duplicates:
        said.append(f"{len(found.near_duplicates)} pairs share {NEAR_DUPLICATE:.0%} or more: near-duplicates")
    return said


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
