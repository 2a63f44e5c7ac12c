"""`workbench score` and `curve`: what runs are worth, and how they do by recall or by rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.files import QRELS_FILE, file_option
from workbench.cli.output import (
    TIES,
    Integers,
    Texts,
    csv_flag,
    flag,
    json_flag,
    number_option,
    number_setting,
    one_form,
    print_csv,
    print_export,
    refuse_given,
    say_aside,
    say_figures,
    say_json,
    say_notes,
    say_table,
    setting,
    tie_option,
)
from workbench.cli.qrels_files import (
    all_matched,
    cannot_judge_option,
    map_runs,
    matched,
    note_topics,
    read_judged,
    read_relevance,
)
from workbench.cli.runs import RunFiles, read_arrays, read_runs, run_arguments
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.records import Qrel, Run, TieRule
from workbench.scoring.curves import CURVES, CurveOptions
from workbench.scoring.kernels import Reads, reads
from workbench.scoring.measures import check_complement, namesakes, parse_measures
from workbench.scoring.own_measures import INTERPOLATIONS, example_names
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.scorer import RunScores, Scorer
from workbench.tables import table_export

if TYPE_CHECKING:
    from workbench.scoring.scorer import KnownDocuments


def say_scores(
    scores: Sequence[RunScores], *, per_topic: bool, as_json: bool, name_near_ties: bool = False
) -> None:
    """Print the scores of one run or more, as a table for people or as JSON with all digits.

    Near ties, on which scorers disagree, are noted on the error stream.
    """
    _note_near_ties(scores, by_name=name_near_ties)
    if as_json:
        say_json(
            [
                {
                    "run": result.tag,
                    "measure": measure,
                    "value": value,
                    "topics_scored": result.topics_scored,
                    "topics_in_qrels": result.topics_in_qrels,
                }
                | ({"per_topic": dict(result.per_topic[measure])} if per_topic else {})
                for result in scores
                for measure, value in result.values.items()
            ]
        )
        return
    columns = _columns(scores, per_topic)
    rows = (
        [
            *names,
            *(f"{value:.4f}" for value in values),
            f"{run.topics_scored} of {run.topics_in_qrels}" if run else "",
        ]
        for names, values, run in _rows(scores, per_topic)
    )
    say_table([*columns, "topics"], rows, numeric_from=1 + per_topic)


def say_as_csv(scores: Sequence[RunScores], *, per_topic: bool) -> None:
    """Print a row for each run, or for each of its topics and for all, as CSV with all digits."""
    rows = (
        [*names, *values, *((run.topics_scored, run.topics_in_qrels) if run else (None, None))]
        for names, values, run in _rows(scores, per_topic)
    )
    print_csv([*_columns(scores, per_topic), "topics_scored", "topics_in_qrels"], rows)


def _columns(scores: Sequence[RunScores], per_topic: bool) -> list[str]:
    return ["run", *(["topic"] if per_topic else []), *scores[0].values]


def _rows(
    scores: Sequence[RunScores], per_topic: bool
) -> Iterator[tuple[list[str], list[float], RunScores | None]]:
    """Run and topic, the values, and the run where they are its means."""
    for run in scores:
        if per_topic:
            columns = [run.per_topic[name] for name in run.values]
            yield from (([run.tag, topic], [one[topic] for one in columns], None) for topic in columns[0])
        yield [run.tag, *(["all"] if per_topic else [])], list(run.values.values()), run


def say_as_ir_measures(scores: Sequence[RunScores], *, per_topic: bool) -> None:
    """Print the scores of a run as the program ir_measures does."""
    of_all = "all\t" if per_topic else ""
    for result in scores:
        for name, value in result.values.items():
            for topic, of_topic in result.per_topic[name].items() if per_topic else ():
                click.echo(f"{topic}\t{name}\t{of_topic:.4f}")
            click.echo(f"{of_all}{name}\t{value:.4f}")


def _note_near_ties(scores: Sequence[RunScores], *, by_name: bool) -> None:
    tied = [result for result in scores if result.topics_near_tied]
    if not tied:
        return
    say_aside(
        f"note: in {len(tied)} of {len(scores)} runs some scores differ only beyond single precision, and "
        "scorers disagree on their order (see --double-precision; --warnings names the runs)",
    )
    for result in tied if by_name else ():
        say_aside(f"note: near ties in {counted(result.topics_near_tied, 'topic')} of {result.tag}")


FORMATS = ("table", "json", "csv", "trec_eval", "ir_measures")


@click.command("score")
@QRELS_FILE
@run_arguments()
@setting(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    default=("AP nDCG@10 P@10",),
    help=f"Measures by the names of ir_measures, such as {example_names()}, or those of trec_eval, such as "
    "map, ndcg_cut_10 and official; several in quotes, or repeat the option. For qrels with subtopics: "
    "alpha_nDCG@20, ERR_IA@20, StRecall@20 and others, or the names of ndeval.",
)
@cannot_judge_option
@tie_option(
    "--ties",
    help="Which of two documents with the same score comes first; --format ir_measures leaves it to its "
    "scorers unless another rule is named.",
)
@setting(
    "--average-over",
    type=click.Choice(["qrels", "run", "relevant"]),
    default="qrels",
    help="Topics to average over: all in the qrels, where one that the run lacks counts as retrieving "
    "nothing (trec_eval -c); those that the run has; or those in the qrels with a relevant document.",
)
@flag(
    "--double-precision",
    help="Distinguish scores that are equal as 32-bit floats, as trec_eval does since 2023.",
)
@file_option(
    "--known",
    help="Relevant documents that users know already, as qrels: adds Coverage, the share of them that a run "
    "finds, and Novelty, the share of the relevant documents found that were not known.",
)
@flag("--per-topic", help="Also print the value of every topic.")
@flag("--warnings", help="Print warnings about the runs on standard error.")
@setting(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    help="csv has all digits; trec_eval and ir_measures print the lines and the values of these programs.",
)
@json_flag(help="The same as --format json: JSON, with all digits.")
def score(
    qrels: str,
    runs: RunFiles,
    measures: Texts,
    codes: Integers,
    ties: TieRule,
    average_over: str,
    double_precision: bool,
    known: str | None,
    per_topic: bool,
    warnings: bool,
    form: str,
    as_json: bool,
) -> None:
    """Score RUNs against QRELS, which may have subtopics in the second column for diversity measures.

    The last column counts the topics of the qrels that a run has. Files may be gzip; - is the standard input.

    IPrec and SetF follow their published definitions, from which trec_eval departs: the formats trec_eval and
    ir_measures print what these programs do, ir_measures also with the order of ties that each of its
    scorers has (see workbench help measures).
    """
    if known and form not in {"table", "json"}:
        raise click.UsageError(f"--known goes with tables and JSON, not with --format {form}")
    if as_json and form not in {"table", "json"}:
        raise click.UsageError(f"--json and --format {form} cannot be combined: keep one of them")
    if form == "trec_eval" and (double_precision or warnings):
        raise click.UsageError("--format trec_eval takes neither --double-precision nor --warnings")
    if form in {"trec_eval", "ir_measures"} and len(runs.names) > 1:
        raise click.UsageError(f"--format {form} does not say of which run a line is: give one RUN")
    all_topics = average_over != "run"
    if form == "trec_eval":
        # Imported where it is used, since few ask for it.
        from workbench.scoring.trec_eval_output import TrecEval

        lines = read_judged(qrels, codes)
        trec_eval = TrecEval(_with_relevant(lines) if average_over == "relevant" else lines, measures)
        options = {"per_topic": per_topic, "all_topics": all_topics}
        # All runs are read before the first line, so that a refused one leaves nothing behind.
        printed = [
            "\n".join(trec_eval.lines(matched(trec_eval.relevance, run), ties=ties, **options))
            for run in read_runs(runs, warnings=False)
        ]
        for text in printed:
            click.echo(text)
        return
    parsed = parse_measures(measures)
    say_notes(f"note: {note}" for note in namesakes(map(str, parsed)))
    diverse = any(reads(measure) is Reads.SUBTOPICS for measure in parsed)
    of_records = diverse or known or average_over == "relevant"
    judged = read_judged(qrels, codes, subtopics=diverse) if of_records else None
    if judged is not None and average_over == "relevant":
        judged = _with_relevant(judged)
    relevance = read_relevance(qrels, codes) if judged is None else judged
    theirs = form == "ir_measures"
    scorer = Scorer(relevance, parsed, field=theirs, own_ties=theirs and ties is TieRule.TREC_EVAL)
    check_complement(scorer.relevance, parsed)
    unjudged = scorer.relevance.without_grades()
    note_topics(
        unjudged,
        "topics whose grades are all negative, which means not judged, count as 0",
    )
    empty = zip(scorer.relevance.topics, scorer.relevance.relevant(1) == 0, strict=True)
    note_topics(
        [topic for topic, none in empty if none and topic not in unjudged],
        "topics without a relevant document count in every mean, in most measures as 0;"
        " --average-over relevant leaves them out",
    )
    users = _known_documents(known, judged) if known and judged else None

    def score(run: Run | RunArrays) -> RunScores:
        matched(scorer.relevance, run)
        found = scorer.score(run, ties=ties, double_precision=double_precision, all_topics=all_topics)
        return users.score(run, found, ties=ties) if users else found

    # Before there are several processes, each of which would do it.
    scorer.relevance.ready_for_arrays()
    scores = list(map(score, read_runs(runs, warnings=True))) if warnings else map_runs(runs, score)
    if form == "ir_measures":
        say_as_ir_measures(scores, per_topic=per_topic)
    elif form == "csv":
        say_as_csv(scores, per_topic=per_topic)
    else:
        say_scores(scores, per_topic=per_topic, as_json=as_json or form == "json", name_near_ties=warnings)


def _with_relevant(judged: tuple[Qrel, ...]) -> tuple[Qrel, ...]:
    """The lines of the topics that have a relevant document; raises WorkbenchError where no topic has one."""
    topics = {line.topic for line in judged if line.grade >= 1}
    if not topics:
        raise WorkbenchError("no topic of the qrels has a relevant document", remedy="average over the qrels")
    return tuple(line for line in judged if line.topic in topics)


def _known_documents(name: str, judged: tuple[Qrel, ...]) -> KnownDocuments:
    """What users know, with a note of how many topics it covers."""
    from workbench.scoring.scorer import known_documents

    users = known_documents(judged, read_judged(name, ()))
    topics = len(users.relevant.relevance.topics)
    say_aside(f"note: {users.topics} of {topics} topics have known relevant documents")
    return users


_DEEPEST = 100_000
_CURVE_OPTIONS = {
    "recall-precision": ("interpolation",),
    "rank": ("depth", "beta"),
    "roc": ("depth", "docs"),
    "gain": ("depth", "base"),
}


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
def curve(
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
    of_others = {name for names in _CURVE_OPTIONS.values() for name in names} - set(_CURVE_OPTIONS[kind])
    refuse_given(of_others, f"says nothing about the curve {kind}: leave it out")
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
