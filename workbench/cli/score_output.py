"""How `workbench score` and `workbench campaign score` print scores: tables, JSON, CSV and lines."""

from __future__ import annotations

from collections.abc import Sequence

import click

from workbench.cli.output import print_csv, say_json, say_table
from workbench.scoring.scorer import RunScores


def say_scores(
    scores: Sequence[RunScores], *, per_topic: bool, as_json: bool, name_near_ties: bool = False
) -> None:
    """Print the scores of one run or more, as a table for people or as JSON with all digits.

    Near ties, on which scorers disagree, are noted on the error stream.
    """
    _note_near_ties(scores, by_name=name_near_ties)
    if as_json:
        say_json([row for result in scores for row in _json_rows(result, per_topic)])
    elif per_topic:
        _say_topics(scores)
    else:
        _say_means(scores)


def say_as_csv(scores: Sequence[RunScores], *, per_topic: bool) -> None:
    """Print a row for each run, or for each of its topics and for all, as CSV with all digits."""
    names = list(scores[0].values)
    rows: list[list[object]] = []
    for result in scores:
        counts = [result.topics_scored, result.topics_in_qrels]
        if not per_topic:
            rows.append([result.tag, *result.values.values(), *counts])
            continue
        columns = [result.per_topic[name] for name in names]
        rows.extend(
            [result.tag, topic, *(column[topic] for column in columns), None, None] for topic in columns[0]
        )
        rows.append([result.tag, "all", *result.values.values(), *counts])
    print_csv(["run", *(["topic"] if per_topic else []), *names, "topics_scored", "topics_in_qrels"], rows)


def say_as_ir_measures(scores: Sequence[RunScores], *, per_topic: bool) -> None:
    """Print scores as the program ir_measures does; of several runs one after another."""
    for result in scores:
        for name, value in result.values.items():
            if per_topic:
                for topic, of_topic in result.per_topic[name].items():
                    click.echo(f"{topic}\t{name}\t{of_topic:.4f}")
                click.echo(f"all\t{name}\t{value:.4f}")
            else:
                click.echo(f"{name}\t{value:.4f}")


def _note_near_ties(scores: Sequence[RunScores], *, by_name: bool) -> None:
    tied = [result for result in scores if result.topics_near_tied]
    if not tied:
        return
    click.echo(
        f"note: in {len(tied)} of {len(scores)} runs some scores differ only beyond single precision, and "
        "scorers disagree on their order (see --double-precision; --warnings names the runs)",
        err=True,
    )
    for result in tied if by_name else ():
        click.echo(f"note: near ties in {result.topics_near_tied} topics of {result.tag}", err=True)


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
            [result.tag, topic, *(_shown(column[topic]) for column in columns), ""] for topic in columns[0]
        )
        rows.append([result.tag, "all", *map(_shown, result.values.values()), _topics(result)])
    say_table(["run", "topic", *names, "topics"], rows, numeric=range(2, len(names) + 3))


def _topics(result: RunScores) -> str:
    return f"{result.topics_scored} of {result.topics_in_qrels}"


def _shown(value: float) -> str:
    return f"{value:.4f}"
