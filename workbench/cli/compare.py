"""`workbench compare`, `pairs` and `topics`: runs against one another, and topics by difficulty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import wraps
from typing import Any

import click

from workbench.cli.files import QRELS_FILE
from workbench.cli.output import (
    SEED,
    TIES,
    Function,
    Integers,
    all_of,
    figure,
    form_options,
    one_measure,
    print_export,
    say_aside,
    say_figures,
    say_table,
    setting,
)
from workbench.cli.qrels_files import (
    cannot_judge_option,
    map_runs,
    matched,
    note_lacking,
    note_topics,
    read_judged,
)
from workbench.cli.runs import RunFiles, run_arguments
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.records import TieRule
from workbench.scoring.measures import check_complement, parse_measures
from workbench.scoring.pairs_of_runs import Comparisons
from workbench.scoring.scorer import RunScores, Scorer
from workbench.scoring.significance import FEWEST_TOPICS, LEVEL, TOO_FEW_TOPICS
from workbench.scoring.topic_difficulty import ORDERS, TopicTable, topic_table, topic_table_export
from workbench.scoring.two_runs import (
    METHODS,
    TESTS,
    AllPairs,
    TwoRuns,
    all_pairs,
    all_pairs_export,
    method_in_words,
    two_runs,
    two_runs_export,
)

METHOD = setting(
    "--method",
    type=click.Choice([str(method) for method in METHODS]),
    default=str(Comparisons.MAX_T),
    help="Test of all pairs: bootstrap of the largest t, which controls the error over all pairs even where "
    "runs vary differently, or a test of each pair with Holm's correction.",
)
AVERAGE_OVER = setting(
    "--average-over",
    type=click.Choice(["shared", "qrels"]),
    default="shared",
    help="Topics to compare: those that every run has, or all in the qrels, where a run that lacks one "
    "counts as retrieving nothing.",
)
ORDER = setting(
    "--order",
    type=click.Choice(ORDERS),
    default=next(iter(ORDERS)),
    help="By the median of the runs, hardest first, or by their standard deviation, highest first.",
)


def _note_left_out(topics: Sequence[str]) -> None:
    note_topics(topics, "topics that a run lacks are not compared")


def say_two_runs(found: TwoRuns) -> None:
    """Print the topics of two runs and the tests; on the error stream the difference with its interval."""
    one = found.difference
    _note_left_out(found.left_out)
    say_figures(
        ["topic", found.first.tag, found.second.tag, "difference"],
        [[topic, *map(figure, values)] for topic, *values in found.topics],
    )
    click.echo()
    say_table(
        ["test", "n", "statistic", "p", "method"],
        [
            [TESTS[test.test], test.n, "-", "-", f"undefined: {test.undefined}"]
            if test.p is None or test.statistic is None
            else [
                TESTS[test.test],
                test.n,
                f"{test.statistic:.4f}",
                f"{test.p:.4f}",
                test.method + (f", seed {test.seed}" if test.seed is not None else ""),
            ]
            for test in one.tests
        ],
        numeric=range(1, 4),
    )
    interval = (
        f"no interval of {TOO_FEW_TOPICS}"
        if one.low is None or one.high is None
        else f"{LEVEL:.0%} t interval {one.low:.4f} to {one.high:.4f}"
    )
    effect = figure(one.effect, ".2f", "undefined")
    say_aside(
        f"{found.shown}, {found.first.tag} less {found.second.tag} over {counted(one.topics, 'topic')}: "
        f"{one.mean:.4f} ({interval}), d_z {effect}; better on {one.better}, equal on {one.tied}, "
        f"worse on {one.worse}",
    )


def say_all_pairs(found: AllPairs) -> None:
    """Print every two runs; on the error stream how many differences are significant, and by which test."""
    _note_left_out(found.left_out)
    say_table(
        ["better", "other", "difference", "low", "high", "d_z", "p adjusted", "significant"],
        [
            [
                line.first,
                line.second,
                *map(figure, (line.difference, line.low, line.high)),
                figure(line.effect, ".2f"),
                figure(line.p),
                "yes" if line.significant else "no",
            ]
            for line in found.lines
        ],
        numeric=range(2, 7),
    )
    if found.compared.topics < FEWEST_TOPICS:
        say_aside(f"note: no interval and no test of {TOO_FEW_TOPICS}")
        return
    if found.finds_nothing:
        say_aside(f"note: {found.finds_nothing}")
    say_aside(
        f"{found.shown} of {len(found.ranked)} runs over {counted(found.compared.topics, 'topic')}: "
        f"{found.significant} of {found.pairs} differences are significant at {1 - LEVEL:.2g} "
        f"({method_in_words(found.compared)})",
    )


def say_topic_table(found: TopicTable) -> None:
    """Print the topics with what the runs score on them."""
    say_figures(
        ["topic", "median", "quartiles", "lowest", "highest", "std. dev.", "relevant"],
        [
            [
                one.topic,
                figure(one.median),
                f"{one.lower:.4f} to {one.upper:.4f}",
                figure(one.low),
                figure(one.high),
                figure(one.deviation),
                found.relevant.get(one.topic, 0),
            ]
            for one in found.lines
        ],
    )
    runs, topics = counted(found.lines[0].runs, "run"), counted(len(found.lines), "topic")
    say_aside(f"{found.shown} of {runs} on {topics}")


@frozen_dataclass
class ScoredRuns:
    """Runs by one measure, on qrels from a file; `relevant` counts relevant documents by topic."""

    qrels: str
    measure: str
    runs: Sequence[RunScores]
    relevant: dict[str, int]


def _scoring(command: Function) -> Function:
    @wraps(command)
    def with_scores(
        qrels: str, runs: RunFiles, measure: str, codes: Integers, ties: TieRule, **options: Any
    ) -> Any:
        measures = parse_measures(measure)
        if len(measures) > 1:
            raise WorkbenchError("runs are compared by one measure", remedy="name one, such as AP")
        judged = read_judged(qrels, codes)
        scorer = Scorer(judged, measures)
        check_complement(scorer.relevance, measures)
        scores = map_runs(runs, lambda run: scorer.score(matched(scorer.relevance, run), ties=ties))
        threshold = int(measures[0].params.get("rel", 1))
        relevant = Counter(one.topic for one in judged if one.grade >= threshold)
        return command(ScoredRuns(qrels, str(measures[0]), scores, relevant), **options)

    return with_scores


_reads_runs = all_of(
    QRELS_FILE,
    run_arguments(),
    one_measure(default=("AP",), show_default=True, help="One measure, such as AP, nDCG@10 or P(rel=2)@10."),
    TIES,
    cannot_judge_option,
    form_options,
    _scoring,
)
"""QRELS, RUN... and how they are scored; the command receives ScoredRuns and the form to print."""


@click.command("compare")
@_reads_runs
@AVERAGE_OVER
@SEED
def compare(scored: ScoredRuns, *, form: str, average_over: str, seed: int) -> None:
    """Compare two RUNs topic by topic: the mean difference, its interval, effect size and significance.

    The difference is the first run less the second. Four tests of no difference: paired t, Wilcoxon,
    randomisation and paired bootstrap (Sakai 2006). For more than two runs see workbench pairs, which
    corrects for their number. --csv prints the topics, --latex the tests, --json both.
    """
    given = len(scored.runs)
    if given != 2:
        more = "1 was given" if given == 1 else f"{given} were given: see workbench pairs"
        raise click.UsageError(f"two runs are compared, and {more}")
    first, second = scored.runs
    everywhere = average_over == "qrels"
    found = two_runs(first, second, scored.measure, qrels=scored.qrels, seed=seed, all_topics=everywhere)
    if not print_export(two_runs_export(found), form):
        say_two_runs(found)


@click.command("pairs")
@_reads_runs
@METHOD
@AVERAGE_OVER
@SEED
def pairs(scored: ScoredRuns, *, form: str, method: str, average_over: str, seed: int) -> None:
    """Compare every two RUNs: which differences are significant, corrected for the number of pairs.

    The chance of any false difference among all pairs is held to .05.
    """
    found = all_pairs(
        scored.runs,
        scored.measure,
        Comparisons(method),
        qrels=scored.qrels,
        seed=seed,
        all_topics=average_over == "qrels",
    )
    if not print_export(all_pairs_export(found), form):
        say_all_pairs(found)


@click.command("topics")
@_reads_runs
@ORDER
def topics(scored: ScoredRuns, *, form: str, order: str) -> None:
    """Sort topics by difficulty, or by how far RUNs disagree on them."""
    for run in scored.runs:
        note_lacking(run.tag, [one for one in run.per_topic[scored.measure] if one not in run.scored])
    found = topic_table(scored.runs, scored.measure, order, relevant=scored.relevant, qrels=scored.qrels)
    if not print_export(topic_table_export(found), form):
        say_topic_table(found)
