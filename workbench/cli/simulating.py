"""`workbench pool --qrels`: an adaptive strategy on judgments that exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import say_json
from workbench.formats.qrels import read_qrels
from workbench.pooling.adaptive.simulated import Simulated, simulated
from workbench.pooling.adaptive.strategies import start
from workbench.records import Run, TieRule, id_bytes

NOT_RELEVANT = "not-relevant"
UNJUDGED = ("unknown", NOT_RELEVANT)


def simulate(
    runs: Iterable[Run],
    qrels: str,
    *,
    strategy: str,
    parameters: Mapping[str, Any],
    ties: TieRule,
    relevant_from: int,
    unjudged: str,
    as_json: bool,
) -> None:
    """Print the pairs in the order in which the strategy has them judged, and say how many are relevant."""
    with open_input(qrels) as (stream, source):
        # A negative grade says "pooled, not judged".
        relevant = {
            (qrel.topic, qrel.docno): qrel.grade >= relevant_from
            for qrel in read_qrels(stream, source=source)
            if qrel.grade >= 0
        }
    pool = start(runs, strategy=strategy, ties=ties, parameters=parameters)
    judged = list(simulated(pool, relevant, unknown=False if unjudged == NOT_RELEVANT else None))
    if as_json:
        say_json([_object(one) for one in judged])
    else:
        click.echo(b"".join(id_bytes(f"{one.topic}\t{one.docno}\n") for one in judged), nl=False)
    known = sum(one.relevant is not None for one in judged)
    found = sum(one.relevant is True for one in judged)
    of = sum(relevant[pair] for pair in relevant)
    click.echo(
        f"{len(judged)} pairs of {len(pool.topics)} topics: {known} judged in {qrels}, "
        f"{found} relevant of {of} there",
        err=True,
    )


def _object(one: Simulated) -> dict[str, object]:
    return {
        "topic": one.topic,
        "docno": one.docno,
        "number": one.number,
        "relevant": one.relevant,
        "found": one.found,
    }
