"""`workbench compare`, `pairs` and `topics`: runs against one another, and topics by difficulty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click

from workbench.cli.comparisons import (
    AVERAGE_OVER,
    METHOD,
    ORDER,
    SEED,
    say_all_pairs,
    say_topic_table,
    say_two_runs,
)
from workbench.cli.output import form_options, one_form, print_export
from workbench.cli.parallel_runs import map_runs
from workbench.cli.qrels_files import cannot_judge_option, read_judged
from workbench.cli.relevance_files import matched, note_lacking
from workbench.cli.runs import RunFiles, only_one_standard_input, run_arguments
from workbench.errors import WorkbenchError
from workbench.records import Qrel, TieRule
from workbench.scoring.measures import check_complement, parse_measures
from workbench.scoring.pairs_of_runs import Comparisons
from workbench.scoring.scorer import RunScores, Scorer
from workbench.scoring.topic_difficulty import topic_table, topic_table_export
from workbench.scoring.two_runs import all_pairs, all_pairs_export, two_runs, two_runs_export

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class ScoredRuns:
    """Runs by one measure, on qrels from a file; `relevant` counts relevant documents by topic."""

    qrels: str
    measure: str
    runs: Sequence[RunScores]
    relevant: dict[str, int]


def _reads_runs(command: Command) -> Command:
    """Give a command QRELS, RUN... and how they are scored; it receives ScoredRuns and the form to print."""

    @wraps(command)
    def scoring(
        *,
        qrels: str,
        runs: RunFiles,
        measure: str,
        codes: tuple[int, ...],
        ties: str,
        as_json: bool,
        as_csv: bool,
        as_latex: bool,
        **options: Any,
    ) -> Any:
        only_one_standard_input((qrels, *runs.names))
        form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
        return command(_scored(qrels, runs, measure, codes, TieRule(ties)), form=form, **options)

    decorated: Any = form_options(scoring)
    decorated = click.option(
        "--ties",
        type=click.Choice([rule.value for rule in TieRule]),
        default=TieRule.TREC_EVAL.value,
        show_default=True,
        help="Which of two documents with the same score comes first.",
    )(cannot_judge_option(decorated))
    decorated = click.option(
        "-m", "--measure", default="AP", show_default=True, help="One measure, as AP, nDCG@10 or P(rel=2)@10."
    )(decorated)
    return click.argument("qrels")(run_arguments()(decorated))  # type: ignore[no-any-return]  # click calls it alone


def _scored(qrels: str, files: RunFiles, measure: str, codes: Sequence[int], ties: TieRule) -> ScoredRuns:
    measures = parse_measures(measure)
    if len(measures) > 1:
        raise WorkbenchError("runs are compared by one measure", remedy="name one, such as AP")
    judged = read_judged(qrels, codes)
    scorer = Scorer(judged, measures)
    check_complement(scorer.relevance, measures)
    scores = map_runs(files, lambda run: scorer.score(matched(scorer.relevance, run), ties=ties))
    return ScoredRuns(
        qrels, str(measures[0]), scores, _relevant(judged, int(measures[0].params.get("rel", 1)))
    )


def _relevant(judged: Sequence[Qrel], threshold: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in judged:
        if one.grade >= threshold:
            counts[one.topic] = counts.get(one.topic, 0) + 1
    return counts


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
    if len(scored.runs) != 2:
        raise click.UsageError(
            f"two runs are compared, and {len(scored.runs)} were given: see workbench pairs"
        )
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
