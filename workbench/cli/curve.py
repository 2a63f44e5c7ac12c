"""`workbench curve`: how runs do by recall or by rank, as tables to plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from workbench.cli.inputs import QRELS_FILE
from workbench.cli.output import (
    TIES,
    Integers,
    csv_flag,
    json_flag,
    number_option,
    number_setting,
    one_form,
    print_export,
    say_figures,
    setting,
)
from workbench.cli.qrels_files import cannot_judge_option, read_judged
from workbench.cli.relevance_files import all_matched
from workbench.cli.runs import RunFiles, read_arrays, run_arguments
from workbench.errors import WorkbenchError
from workbench.records import TieRule
from workbench.scoring.curves import CURVES, CurveOptions
from workbench.scoring.own_measures import INTERPOLATIONS
from workbench.scoring.scorer import Scorer
from workbench.tables import table_export

_DEEPEST = 100_000


@click.command("curve")
@click.argument("kind", type=click.Choice(CURVES), metavar="KIND")
@QRELS_FILE
@run_arguments()
@click.option("--topic", help="The curve of this topic instead of the mean over all topics of the qrels.")
@setting(
    "--depth",
    type=click.IntRange(1, _DEEPEST),
    default=20,
    help="rank, roc, gain: the last rank.",
)
@number_setting(
    "--relevant-from", "rel", default=1, metavar="N", help="The lowest grade that counts as relevant."
)
@setting(
    "--interpolation",
    type=click.Choice(INTERPOLATIONS),
    default=INTERPOLATIONS[0],
    help="recall-precision: the highest precision at any higher recall, or before the next level of recall.",
)
@setting(
    "--beta",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    help="rank: the weight of recall in F.",
)
@click.option(
    "--base",
    type=click.FloatRange(1, min_open=True),
    help="gain: no discount above rank BASE, then the logarithm of the rank to this base (Jarvelin and "
    "Kekalainen).  [default: log2(rank + 1)]",
)
@number_option(
    "--docs",
    metavar="N",
    help="roc: documents in the collection.  [default: judged documents only; some must be not relevant]",
)
@TIES
@cannot_judge_option
@csv_flag(help="CSV, with all digits.")
@json_flag(help="JSON, one object for each point, with all digits.")
@one_form
def command(
    kind: str,
    qrels: str,
    runs: RunFiles,
    topic: str | None,
    ties: TieRule,
    codes: Integers,
    form: str,
    **options: Any,
) -> None:
    """Print a curve of RUNs against QRELS, averaged over the topics of the qrels.

    \b
    KIND  recall-precision  interpolated precision at recall 0, .1, ... 1
          rank              precision, recall and F of the first k documents
          roc               recall against fallout of the first k documents
          gain              CG and DCG of the first k documents, those of the ideal ranking (ICG, IDCG),
                            nCG and nDCG, and the quotients of the means (CG/ICG, DCG/IDCG)

    A topic that a run lacks counts as one of which it retrieves nothing. The last column counts the topics of
    the qrels that the run has.
    """
    scorer = Scorer(read_judged(qrels, codes), "AP")
    if topic is not None and topic not in scorer.relevance.numbers:
        raise WorkbenchError(f"topic {topic} is not in the qrels", remedy="name one of their topics")
    chosen = CurveOptions(**options)
    columns: list[str] = []
    rows: list[Sequence[Any]] = []
    for run in all_matched(scorer.relevance, read_arrays(runs)):
        judged = scorer.read(run, ties=ties).judged
        curve = CURVES[kind](judged.of_all_topics(), chosen)
        if topic is None:
            points, counts = curve.mean(), (len(judged), len(scorer.relevance.topics))
        else:
            at_topic = scorer.relevance.numbers[topic]
            points, counts = curve.of_topic(at_topic), (int(at_topic in judged.topics), 1)
        columns = ["run", curve.over, *points]
        for at, x in enumerate(curve.x):
            rows.append((run.tag, x, *(float(column[at]) for column in points.values()), *counts))
    export = table_export([*columns, "topics_scored", "topics_in_qrels"], rows)
    if not print_export(export, form):
        say_figures(
            [*columns, "topics"],
            (
                [tag, f"{x:g}", *(f"{value:.4f}" for value in values), f"{scored} of {topics}"]
                for tag, x, *values, scored, topics in rows
            ),
        )
