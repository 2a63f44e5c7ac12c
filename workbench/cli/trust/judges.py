"""`workbench trust judges` and `runs`: whether other judges, or other runs, would change the order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

import click

from workbench.cli.files import FILE, QRELS, QRELS_FILE, file_option, read_input
from workbench.cli.output import (
    MEASURE,
    POSITIVE,
    RELEVANT_FROM,
    SEED,
    TIES,
    Integers,
    Texts,
    beside_bounds,
    data_options,
    flag,
    needed,
    number_setting,
    part_option,
    print_export,
    repeatable,
    say_aside,
    say_notes,
    say_short,
    setting,
    tie_option,
    with_progress,
)
from workbench.cli.qrels_files import (
    GROUPS,
    all_matched,
    note_groups,
    read_graded,
    read_groups,
    read_judgment_files,
    read_qrels_by_assessor,
    read_tags,
)
from workbench.cli.runs import RunFiles, read_arrays, read_runs, run_arguments
from workbench.consensus.rules import choices_of, rule_choice
from workbench.errors import WorkbenchError
from workbench.figures import between, counted, percent, share_of
from workbench.formats.qrels import read_qrels
from workbench.pooling.depth import depth_pool
from workbench.records import Judgment, Run, TieRule, grades_of
from workbench.trust.alternatives import AlternativeQrels, ranking_measure, relevance_of_any, score_under
from workbench.trust.assessors import REFERENCE, filled, qrels_of_assessors, qrels_of_rules, rules_to_compare
from workbench.trust.judges import COEFFICIENTS, OtherJudges, judges_export, other_judges, verdict
from workbench.trust.judges import PARTS as JUDGE_PARTS
from workbench.trust.orders import LEVEL, MIXTURES, PERSISTENCE, RankingOptions
from workbench.trust.runs import PARTS as RUN_PARTS
from workbench.trust.runs import WHOLE, OtherRuns, other_runs, pooled_pairs, qrels_without, runs_export

_OFFICIAL = "qrels"
_SHOWN_PAIRS = 20


@click.command("judges")
@run_arguments()
@repeatable(
    "-j", "--judgments", type=FILE, help="TSV with the header `topic doc assessor grade` (repeatable)."
)
@repeatable(
    "-a",
    "--assessor",
    "assessors",
    type=QRELS,
    help="The qrels of one assessor, named by the file (repeatable).",
)
@repeatable(
    "--cannot-judge",
    "codes",
    type=int,
    help="A grade in judgments and qrels that means no judgment, such as -2 (repeatable).",
)
@click.option("--qrels", "official", type=QRELS, help="The collection's qrels, as the reference.")
@click.option(
    "--reference",
    metavar="NAME",
    help=f"Another reference: an assessor or a rule.  [default: the --qrels, else {REFERENCE}]",
)
@repeatable(
    "--rule",
    "rules",
    type=click.Choice(list(rules_to_compare())),
    help="Rules of consensus to compare (repeatable): any is the union, all the intersection.  "
    "[default: all of these]",
)
@flag(
    "--fill",
    help="Fill an assessor's missing judgments of a topic with the reference's grades; otherwise they count "
    "as not relevant.",
)
@RELEVANT_FROM
@number_setting("--mixtures", default=MIXTURES, help="Mixtures to draw.")
@SEED
@setting("--level", type=float, default=LEVEL, help="Level of significance of a difference.")
@setting("--holm/--no-holm", default=True, help="Correct for the number of pairs of runs.")
@setting("--rbo-p", "persistence", type=float, default=PERSISTENCE, help="p of RBO.")
@MEASURE
@TIES
@part_option(
    JUDGE_PARTS, "qrels", "other qrels, runs, pairs of runs that mixtures change, or every two qrels"
)
@data_options
def judges_command(
    runs: RunFiles,
    judgments: Texts,
    assessors: Texts,
    codes: Integers,
    official: str | None,
    reference: str | None,
    rules: Texts,
    fill: bool,
    relevant_from: int,
    mixtures: int,
    seed: int,
    level: float,
    holm: bool,
    persistence: float,
    measure: str,
    ties: TieRule,
    part: str,
    form: str,
) -> None:
    """Rank RUNs by each assessor's qrels, by those of each rule, and by random mixtures of assessors.

    A mixture has for each topic the judgments of one assessor, drawn at random (Voorhees 2000). Every
    ranking is compared with that of the reference: tau a and b, rho, tau AP and RBO, pairs of runs that
    change places, and significant differences (paired t over topics) that are lost, inverted or gained.
    """
    chosen = ranking_measure(measure)
    answers = read_judgment_files(judgments, codes)
    for name, lines in read_qrels_by_assessor(assessors, codes):
        graded = (one for one in lines if one.grade not in codes)
        answers += [Judgment(name, one.topic, one.docno, one.grade) for one in graded]
    qrels: list[AlternativeQrels] = [*qrels_of_assessors(answers, relevant_from=relevant_from)]
    if not qrels:
        raise WorkbenchError("nobody gave a grade", remedy="give --judgments or --assessor files with grades")
    people = [one.name for one in qrels]
    several = len(people) > 1
    name = reference or (_OFFICIAL if official else REFERENCE if several else people[0])
    if several:
        compared = {*(rules or rules_to_compare()), *([REFERENCE] if name == REFERENCE else [])}
        qrels += qrels_of_rules(answers, choices_of(compared, rule_choice()), relevant_from=relevant_from)
    if official:
        qrels.insert(0, AlternativeQrels(_OFFICIAL, grades_of(read_graded(official, codes)), relevant_from))
    found_reference = next((one for one in qrels if one.name == name), None)
    if found_reference is None:
        listed = ", ".join(one.name for one in qrels)
        raise WorkbenchError(f'there are no qrels called "{name}"', remedy=f"choose one of {listed}")
    if fill:
        qrels = [one if one.name not in people else filled([one], found_reference)[0] for one in qrels]
    options = RankingOptions(name, mixtures, seed, level, holm, persistence)
    read = all_matched(relevance_of_any(qrels), read_arrays(runs), lacking=True)
    scores = score_under(qrels, read, chosen, ties=ties)
    found = other_judges(scores, people, options, partial(with_progress, label="Mixing"))
    if not print_export(judges_export(found, part), form):
        _say(found, part)
        say_notes(judges_sentences(found, filled_in=fill))


def _say(found: OtherJudges, part: str) -> None:
    columns, rows = JUDGE_PARTS[part](found)
    if not rows:
        click.echo("no pair of runs swaps or loses its significance")
        return
    if part == "qrels":
        say_short(*beside_bounds(columns, rows, set(columns) - set(COEFFICIENTS)))
    else:
        say_short(columns, rows[:_SHOWN_PAIRS] if part == "pairs" else rows)
    if part == "pairs" and len(rows) > _SHOWN_PAIRS:
        say_aside(f"note: the first {_SHOWN_PAIRS} of {len(rows)} pairs; --csv has all")


def judges_sentences(found: OtherJudges, *, filled_in: bool) -> list[str]:
    """The comparison in sentences: what was compared, what the mixtures say, and what counts as what."""
    options, pairs = found.options, found.runs * (found.runs - 1) // 2
    correction = f"Holm over {counted(pairs, 'pair')}" if options.holm else "not corrected"
    lines = [
        f"reference: {options.reference}; {found.measure} of {found.runs} runs over {found.topics} topics",
        f"significance: paired t over topics, level {options.level:g}, {correction}; {found.significant} of "
        f"{pairs} pairs are significant under the reference",
    ]
    mixed = found.mixtures
    if mixed is None:
        return [*lines, "one assessor only: no mixtures"]
    tau = mixed.coefficients["tau_b"]
    alone = found.two_alone
    if alone is not None and (of_two := alone.coefficients.get("tau_b")) is not None:
        lines.append(
            f"{alone.first} against {alone.second}: tau b {of_two:.3f} over {counted(alone.topics, 'topic')}"
        )
    lines.append(
        f"mixtures: {mixed.drawn} of {len(found.assessors)} assessors, one drawn for each topic (seed "
        f"{options.seed}); in brackets their 2.5th and 97.5th percentiles; two mixtures share the assessor "
        f"on 1 of {len(found.assessors)} topics, so their tau is too high"
    )
    if tau.mean is not None:
        lines.append(
            f"mixtures and reference rank the runs {verdict(tau.mean)}ly: mean tau b {tau.mean:.2f} (from .9 "
            "equivalently, below .8 differently: a convention of Voorhees 2001; the same change gives other "
            "taus where runs are closer together, Sanderson and Soboroff 2007)"
        )
    in_part = [
        f"{one.name} {share_of(one.graded, found.graded_pairs)}"
        for one in found.others
        if one.name in found.assessors and one.graded < found.graded_pairs
    ]
    if in_part and not filled_in:
        lines.append(
            f"not everybody judged all {found.graded_pairs} pairs ({', '.join(in_part)}): missing judgments "
            "count as not relevant, or with --fill as in the reference"
        )
    return lines


@click.command("runs")
@QRELS_FILE
@run_arguments()
@needed("--depth", type=POSITIVE, help="Depth of the pool.")
@GROUPS
@file_option(
    "--pooled",
    "pooled_file",
    help="Tags of the runs that were pooled, one per line; the others are late.  [default: all]",
)
@tie_option(
    "--pool-ties",
    help="Order of documents with equal scores when the pool was made.",
)
@flag("--single-runs", "single", help="Leave out single runs, not whole groups.")
@MEASURE
@RELEVANT_FROM
@TIES
@part_option(RUN_PARTS, "runs", "pooled runs, groups with what only they contributed, or late runs")
@data_options
def runs_command(
    qrels: str,
    runs: RunFiles,
    depth: int,
    groups_file: str | None,
    pooled_file: str | None,
    pool_ties: TieRule,
    single: bool,
    measure: str,
    relevant_from: int,
    ties: TieRule,
    part: str,
    form: str,
) -> None:
    """Score RUNs by QRELS without the documents that only the run's own group brought into the pool.

    What the runs lose is what a run must expect to lose that comes after judging. Without --groups every run
    is a group of its own. Runs are read twice, so that they cannot be the standard input.
    """
    if "-" in runs.names:
        raise click.UsageError("runs are read twice: name their files")
    chosen = ranking_measure(measure)
    whole = AlternativeQrels(WHOLE, grades_of(read_input(qrels, read_qrels)), relevant_from)
    groups = read_groups(groups_file) if groups_file and not single else {}
    tags = set(read_tags(pooled_file)) if pooled_file else None
    made = depth_pool(_pooled_runs(runs, tags, depth, pool_ties), depth=depth, ties=pool_ties)
    pooled = pooled_pairs(made, whole, groups)
    read = all_matched(relevance_of_any([whole]), read_arrays(runs), lacking=True)
    scores = score_under(qrels_without(whole, pooled), read, chosen, ties=ties)
    note_groups(groups, scores.runs)
    found = other_runs(scores, whole, pooled)
    if not print_export(runs_export(found, part), form):
        columns, rows = RUN_PARTS[part](found)
        if rows:
            say_short(columns, rows, numeric_from=2 if part == "runs" else 1)
        else:
            click.echo("every run was pooled")
        say_notes(runs_sentences(found, depth))


def _pooled_runs(files: RunFiles, tags: Collection[str] | None, depth: int, ties: TieRule) -> Iterator[Run]:
    missing = set(tags or ())
    for run in read_runs(files, warnings=False, depth=depth, ties=ties):
        missing.discard(run.tag)
        if tags is None or run.tag in tags:
            yield run
    if missing:
        raise WorkbenchError(
            f"{len(missing)} pooled runs are not among the runs given, such as {min(missing)}",
            remedy="give their files too, or correct the list",
        )


def runs_sentences(found: OtherRuns, depth: int) -> list[str]:
    """The test in sentences: what was left out, what the runs lose, what a late run must expect."""
    unique = sum(one.unique_relevant for one in found.groups)
    groups = counted(len(found.groups), "group")
    lines = [
        f"{found.measure} over {counted(found.topics, 'topic')}; pool of depth {depth} of "
        f"{counted(len(found.pooled), 'run')} of {groups}: {counted(found.pool, 'pair')}, "
        f"{found.pool_judged} judged; judged outside it and kept: {found.graded - found.pool_judged} of "
        f"{counted(found.graded, 'pair')}",
        f"contributed by one group alone: {counted(unique, 'relevant pair')}",
    ]
    loss = found.expected
    if loss is None:
        return [*lines, "no pooled run has a score above 0: there is nothing to lose"]
    bounds = loss.interval
    interval = (
        "" if bounds.low is None else f", 95 % interval over groups {between(bounds.low, bounds.high, 1)}"
    )
    lines.append(
        f"without what only its own group contributed, a run loses {percent(loss.mean, 1)} of its score on "
        f"average ({counted(loss.runs, 'run')} of {groups}{interval}); nine in ten lose "
        f"{percent(loss.nine_in_ten, 1)} or less, {loss.largest_of} loses most, {percent(loss.largest, 1)}"
    )
    if found.pool_judged < found.pool:
        lines.append(
            f"{found.pool - found.pool_judged} pairs of this pool are not judged: if the whole pool was "
            "judged, correct "
            "the depth, the order of ties or the list of pooled runs"
        )
    return lines
