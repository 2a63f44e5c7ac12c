"""`workbench score`: what runs are worth."""

from __future__ import annotations

from collections.abc import Sequence

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import say_json, say_table
from workbench.cli.runs import only_one_standard_input, read_runs
from workbench.formats.qrels import read_qrels
from workbench.records import TieRule
from workbench.scoring.listed import example_names
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import RunScores, Scorer


@click.command("score")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    default=("AP nDCG@10 P@10",),
    show_default=True,
    help=f"Measures by name, such as {example_names()}; several in quotes, or repeat the option.",
)
@click.option(
    "--ties",
    type=click.Choice([rule.value for rule in TieRule]),
    default=TieRule.TREC_EVAL.value,
    show_default=True,
    help="Which of two documents with the same score comes first.",
)
@click.option(
    "--double-precision",
    is_flag=True,
    help="Distinguish scores that are equal as 32-bit floats, as trec_eval does since 2023.",
)
@click.option("--per-topic", is_flag=True, help="Also print the value of every topic.")
@click.option("--warnings", is_flag=True, help="Report on the error stream what is unusual about the runs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all digits.")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    ties: str,
    double_precision: bool,
    per_topic: bool,
    warnings: bool,
    as_json: bool,
) -> None:
    """Score RUNs against QRELS.

    Means are over all topics of the qrels; a topic that a run lacks counts as 0, and the last column counts
    the topics that it has. Files may be gzip; - is the standard input.
    """
    only_one_standard_input((qrels, *runs))
    parsed = parse_measures(measures)
    with open_input(qrels) as (stream, source):
        scorer = Scorer(read_qrels(stream, source=source), parsed)
    scores = [
        scorer.score(run, ties=TieRule(ties), double_precision=double_precision)
        for _, run in read_runs(runs, warnings=warnings)
    ]
    say_scores(scores, per_topic=per_topic, as_json=as_json)


def say_scores(scores: Sequence[RunScores], *, per_topic: bool, as_json: bool) -> None:
    """Print the scores of one run or more, as a table for people or as JSON with all digits.

    Near ties, on which scorers disagree, are noted on the error stream.
    """
    for result in scores:
        if result.topics_near_tied:
            click.echo(
                f"note: {result.tag}: in {result.topics_near_tied} topics some scores differ only beyond "
                "single precision; scorers disagree on their order (see --double-precision)",
                err=True,
            )
    if as_json:
        say_json([row for result in scores for row in _json_rows(result, per_topic)])
    elif per_topic:
        _say_topics(scores)
    else:
        _say_means(scores)


def _json_rows(result: RunScores, per_topic: bool) -> list[dict[str, object]]:
    return [
        {
            "run": result.tag,
            "measure": measure,
            "value": value,
            "topics_scored": result.topics_scored,
            "topics_in_qrels": result.topics_in_qrels,
        }
        | ({"per_topic": dict(result.per_topic[measure])} if per_topic else {})
        for measure, value in result.values.items()
    ]


def _say_means(scores: Sequence[RunScores]) -> None:
    names = list(scores[0].values)
    say_table(
        ["run", *names, "topics"],
        ([result.tag, *map(_shown, result.values.values()), _topics(result)] for result in scores),
        numeric=range(1, len(names) + 2),
    )


def _say_topics(scores: Sequence[RunScores]) -> None:
    names = list(scores[0].values)
    rows: list[list[str]] = []
    for result in scores:
        columns = [result.per_topic[name] for name in names]
        rows.extend(
            [result.tag, topic, *(_shown(column[topic]) for column in columns)] for topic in columns[0]
        )
        rows.append([result.tag, _topics(result), *map(_shown, result.values.values())])
    say_table(["run", "topic", *names], rows, numeric=range(2, len(names) + 2))


def _topics(result: RunScores) -> str:
    return f"{result.topics_scored} of {result.topics_in_qrels}"


def _shown(value: float) -> str:
    return f"{value:.4f}"
