"""`workbench trust judges`: would runs stand in the same order if other assessors had judged."""

from __future__ import annotations

from functools import partial

import click

from workbench.cli.inputs import FILE, QRELS
from workbench.cli.output import (
    MEASURE,
    RELEVANT_FROM,
    SEED,
    TIES,
    Integers,
    Texts,
    beside_bounds,
    data_options,
    flag,
    number_setting,
    part_option,
    print_export,
    repeatable,
    say_aside,
    say_notes,
    say_short,
    setting,
    with_progress,
)
from workbench.cli.qrels_files import read_graded, read_judgment_files, read_qrels_by_assessor
from workbench.cli.relevance_files import all_matched
from workbench.cli.runs import RunFiles, read_arrays, run_arguments
from workbench.consensus.rules import choices_of, rule_choice
from workbench.errors import WorkbenchError
from workbench.figures import share_of
from workbench.records import Judgment, TieRule, grades_of
from workbench.trust.alternatives import AlternativeQrels, ranking_measure, relevance_of_any, score_under
from workbench.trust.assessors import REFERENCE, filled, qrels_of_assessors, qrels_of_rules, rules_to_compare
from workbench.trust.judges import COEFFICIENTS, PARTS, OtherJudges, judges_export, other_judges, verdict
from workbench.trust.orders import LEVEL, MIXTURES, PERSISTENCE, RankingOptions

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
@part_option(PARTS, "qrels", "other qrels, runs, pairs of runs that mixtures change, or every two qrels")
@data_options
def command(
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
        say_notes(sentences(found, filled_in=fill))


def _say(found: OtherJudges, part: str) -> None:
    columns, rows = PARTS[part](found)
    if not rows:
        click.echo("no pair of runs swaps or loses its significance")
        return
    if part == "qrels":
        say_short(*beside_bounds(columns, rows, set(columns) - set(COEFFICIENTS)))
    else:
        say_short(columns, rows[:_SHOWN_PAIRS] if part == "pairs" else rows)
    if part == "pairs" and len(rows) > _SHOWN_PAIRS:
        say_aside(f"note: the first {_SHOWN_PAIRS} of {len(rows)} pairs; --csv has all")


def sentences(found: OtherJudges, *, filled_in: bool) -> list[str]:
    """The comparison in sentences: what was compared, what the mixtures say, and what counts as what."""
    options, pairs = found.options, found.runs * (found.runs - 1) // 2
    correction = f"Holm over {pairs} pairs" if options.holm else "not corrected"
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
        lines.append(f"{alone.first} against {alone.second}: tau b {of_two:.3f} over {alone.topics} topics")
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
