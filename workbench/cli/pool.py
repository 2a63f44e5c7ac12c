"""`workbench pool`: which documents get judged."""

from __future__ import annotations

import click

from workbench.cli.output import say_json
from workbench.cli.runs import only_one_standard_input, read_runs
from workbench.pooling.depth import depth_pool
from workbench.records import PoolEntry, TieRule, id_bytes


@click.command("pool")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many documents of each run, for each topic.",
)
@click.option(
    "--ties",
    type=click.Choice([rule.value for rule in TieRule]),
    default=TieRule.TREC_EVAL.value,
    show_default=True,
    help="Which of two documents with the same score comes first.",
)
@click.option("--warnings", is_flag=True, help="Say on the error stream what is odd about the runs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the runs that brought each document.")
def command(runs: tuple[str, ...], depth: int, ties: str, warnings: bool, as_json: bool) -> None:
    """Print the depth pool of these RUNs: topic and docno, tab between, sorted as bytes.

    A run is read by its scores, highest first; the rank column is not used. Files may be gzip; - is the
    standard input. Equal scores are ordered by docno descending (trec_eval), ascending (docno-ascending) or
    as they stand in the file (file).
    """
    only_one_standard_input(runs)
    given = (run for _, run in read_runs(runs, warnings=warnings, unique_tags=True))
    pool = depth_pool(given, depth=depth, ties=TieRule(ties))
    if as_json:
        say_json([_entry(entry) for entry in pool.entries])
        return
    lines = (b"%b\t%b\n" % (id_bytes(entry.topic), id_bytes(entry.docno)) for entry in pool.entries)
    click.echo(b"".join(lines), nl=False)


def _entry(entry: PoolEntry) -> dict[str, object]:
    runs = [{"tag": brought.tag, "rank": brought.rank} for brought in entry.contributions]
    return {"topic": entry.topic, "docno": entry.docno, "runs": runs}
