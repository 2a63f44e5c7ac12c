"""Consensus rules compared, as tables for people, as JSON and as files; files and campaigns share it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import click

from workbench.cli.output import say_table
from workbench.consensus.summary import Summary
from workbench.errors import WorkbenchError
from workbench.export import Export
from workbench.scoring.rank_correlation import RankingComparison

MOST_NAMED = 3


def comparison_json(found: RankingComparison) -> dict[str, object]:
    """A comparison of two rankings as an object, with every swap and move."""
    return {
        "first": found.first,
        "second": found.second,
        "runs": found.runs,
        "tau": found.tau.value,
        "tau_ap": found.tau_ap.value,
        **({"undefined": found.tau.undefined} if found.tau.undefined else {}),
        "swaps": [
            {"ahead_under_first": swap.ahead, "ahead_under_second": swap.behind, "gap": list(swap.gap)}
            for swap in found.swaps
        ],
        "moves": [{"run": move.run, "ranks": list(move.ranks)} for move in found.moves],
    }


def say_summaries(found: Mapping[str, Summary | None], refused: Mapping[str, str]) -> None:
    """Print what each rule settles and leaves; why pairs are left stands on the error stream."""
    rows = [
        (
            name,
            one.settled,
            one.unsettled,
            " ".join(f"{grade}:{count}" for grade, count in one.by_grade),
            one.relevant,
            len(one.without_relevant),
            "" if one.confidence is None else f"{one.confidence:z.3f}",
        )
        for name, one in found.items()
        if one is not None
    ]
    headings = ["rule", "settled", "left", "grades", "relevant", "topics without relevant", "confidence"]
    say_table(headings, rows, numeric=(1, 2, 4, 5, 6))
    for name, one in found.items():
        for reason, count in one.left if one else ():
            click.echo(f"note: {name} leaves {count}: {reason}", err=True)
    for name, reason in refused.items():
        click.echo(f"note: {name} cannot be applied: {reason}", err=True)


def say_comparisons(found: Sequence[RankingComparison]) -> None:
    """Print how alike every two rules rank the runs, the least alike first."""
    order = sorted(found, key=lambda one: 2.0 if one.tau.value is None else one.tau.value)
    rows = [
        (
            one.first,
            one.second,
            _shown(one.tau.value),
            _shown(one.tau_ap.value),
            one.swapped,
            ", ".join(f"{move.run} {move.ranks[0]}→{move.ranks[1]}" for move in one.moves[:MOST_NAMED]),
        )
        for one in order
    ]
    say_table(["rule", "rule", "tau", "tau_ap", "swaps", "moves furthest"], rows, numeric=(2, 3, 4))


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:z.3f}"


def write_export(export: Export, output: Path | None, as_json: bool) -> None:
    """Write a table as CSV or as JSON."""
    parts = [json.dumps(export.data(), allow_nan=False).encode() + b"\n"] if as_json else export.csv_parts()
    write_out(parts, output)


def write_out(parts: Iterable[bytes], output: Path | None) -> None:
    """Write bytes to a file, or to the standard output; raises WorkbenchError where that cannot be.

    A file has its name only once it is complete; what is no file, such as a pipe, is written to as it is.
    """
    if output is None:
        sys.stdout.buffer.writelines(parts)
        return
    try:
        if output.exists() and not output.is_file():
            with output.open("wb") as file:
                file.writelines(parts)
        else:
            _write_whole(parts, output.resolve())
    except OSError as error:
        raise WorkbenchError(f"{output} cannot be written: {error.strerror}") from None


def _write_whole(parts: Iterable[bytes], output: Path) -> None:
    partial = output.with_name(f".{output.name}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as file:
            file.writelines(parts)
        if output.exists():
            partial.chmod(output.stat().st_mode & 0o777)
        partial.replace(output)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise
