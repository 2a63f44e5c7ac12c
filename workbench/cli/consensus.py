"""`workbench consensus`: one grade from several assessors' judgments in files, without a campaign.

The options of the rules, here and in campaigns, are generated from their registry.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from workbench.agreement.alpha import alpha
from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.ratings import judged_ratings
from workbench.cli.files import FILE, QRELS, read_each, write_out
from workbench.cli.output import (
    NEW_FILE,
    Decorator,
    Function,
    Integers,
    Texts,
    all_of,
    arguments,
    figure,
    flag,
    json_flag,
    number_setting,
    refuse_given,
    say_aside,
    say_figures,
    say_json,
    say_table,
)
from workbench.cli.qrels_files import cannot_judge_option, read_graded
from workbench.consensus.rules import (
    PARAMETERS,
    RULES,
    RuleChoice,
    choice_name,
    choices_of,
    default_rules,
    exact_choice,
    rule_choice,
)
from workbench.consensus.settle import (
    Consensus,
    Summary,
    accuracy,
    consensus,
    label_export,
    require_judges,
    summary,
    summary_json,
)
from workbench.consensus.sums import soft_export, soft_labels
from workbench.consensus.votes import Pair, RuleParameter, latest_judgments
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.formats.judgments import graded_judgments, write_judgment_groups
from workbench.formats.qrels import write_qrels
from workbench.records import Judgment, grades_of
from workbench.tables import Export

_EXPORTS = {
    "qrels": "qrels lines",
    "labels": "every grade with its confidence, as CSV",
    "soft": "mean, number and shares of the grades of every pair, as CSV",
    "groups": "every assessor's grades as a group, for trec_eval -R qrels_jg",
}
EXPORT = click.option(
    "--export",
    type=click.Choice(_EXPORTS),
    help="; ".join(f"{name}: {what}" for name, what in _EXPORTS.items()),
)
OUTPUT = click.option(
    "-o",
    "--output",
    type=NEW_FILE,
    help="File to write what --export names; by default, print.",
)


def consensus_options(*, machines: bool = True, several: bool = False) -> Decorator:
    """Give a command `--rule` and every parameter that a rule may have; it receives a `choice`.

    With `several` the option may be repeated, the choice has an empty rule, and the command receives `rules`
    as well, and `people`, the assessors that were named.
    """

    def receiving(command: Function) -> Function:
        @functools.wraps(command)
        def with_choice(rule: Any, machines: bool = False, **options: Any) -> Any:
            given = {name: options.pop(name) for name in PARAMETERS}
            if several:
                people = given["assessor"]
                given["assessor"] = people[0] if people else None
                options |= {"rules": rule, "people": people}
                return command(choice=rule_choice("", machines=machines, **given), **options)
            return command(choice=exact_choice(rule, machines=machines, **given), **options)

        return with_choice

    counted = flag("--machines", help="Count machine judgments as votes.")
    return all_of(
        click.option(
            "--rule",
            default=() if several else "majority",
            show_default=not several,
            multiple=several,
            type=click.Choice(RULES),
            help="; ".join(f"{rule.name}: {rule.help}" for rule in RULES.values()),
        ),
        *([counted] if machines else []),
        *(_option(parameter, several) for parameter in PARAMETERS.values()),
        receiving,
    )


def _option(parameter: RuleParameter, several: bool) -> Decorator:
    users = [rule.name for rule in RULES.values() if parameter in rule.parameters]
    meanings = "".join(f"; {value}: {meaning}" for value, meaning in parameter.choices)
    ending = f".  [default: {parameter.default}]" if parameter.default else "."
    kind: Any = click.Choice([value for value, _ in parameter.choices]) if parameter.choices else str
    if parameter.number:
        kind = _number
    text = f"For {', '.join(users)}: {parameter.help}{'' if parameter.name == 'then' else meanings}{ending}"
    repeated = several and parameter.name == "assessor"
    metavar = "N" if parameter.number else None
    return click.option(f"--{parameter.name}", multiple=repeated, type=kind, metavar=metavar, help=text)


def _number(text: str) -> str:
    if not text.isdecimal() or int(text) < 1:
        raise click.BadParameter("a whole number, 1 or more")
    return text


@click.command("consensus")
@arguments("files", type=FILE, metavar="FILE...")
@consensus_options(several=True, machines=False)
@cannot_judge_option
@number_setting("--relevant-from", default=1, metavar="N")
@click.option("--adjudicated", "decided", type=QRELS, help="Grades that an adjudicator decided.")
@click.option("--gold", type=QRELS, help="Expert grades: report the accuracy of each rule.")
@EXPORT
@OUTPUT
@json_flag(help="Print JSON, with all digits; labels and soft too.")
def command(
    files: Texts,
    rules: Texts,
    people: Texts,
    choice: RuleChoice,
    codes: Integers,
    relevant_from: int,
    decided: str | None,
    gold: str | None,
    export: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Make one grade of several assessors' judgments, or compare the rules by which it can be made.

    FILE is TSV with the header `topic doc assessor grade`, plain or gzip; - is the standard input. Where an
    assessor judged a pair more than once, the latest holds. Without --rule all rules are compared: what each
    settles and leaves, and how right it is against --gold.
    """
    if export in ("qrels", "labels") and len(rules) != 1:
        raise click.UsageError(f"--export {export} needs one --rule")
    if output and not export:
        raise click.UsageError("--output needs --export, which says what the file is")
    if as_json and export in ("qrels", "groups"):
        raise click.UsageError(f"--export {export} is text for other programs: leave out --json")
    read = read_each(files, partial(graded_judgments, codes=codes))
    given = [judgment for _, judgments in read for judgment in judgments]
    latest = latest_judgments(given)
    say_aside(
        f"judgments: {latest.events}; pairs repeated by the same assessor: {latest.repeated}, "
        f"with another answer: {latest.contradicted} (the latest counts)",
    )
    names = rules or tuple(name for name in default_rules(slow=True) if name != "one" or people)
    choices = choices_of(names, choice, assessors=people)
    if rules:
        unused = {name for name, _ in choice.given} - {name for one in choices for name, _ in one.given}
        refuse_given(unused, f"is no parameter of {', '.join(rules)}")
    require_judges(latest.judgments, people)
    decisions = grades_of(read_graded(decided, codes)) if decided else {}

    def settled(one: RuleChoice) -> Consensus:
        return consensus(
            latest.judgments,
            rule=one.rule,
            scale=None,
            relevant_from=relevant_from,
            decided=decisions,
            **one.parameters(),
        )

    if export == "groups":
        write_out(write_judgment_groups(latest.judgments), output)
    elif export == "soft":
        write_export(soft_export(soft_labels(latest.judgments)), output, as_json)
    elif export:
        only = settled(choices[0])
        if export == "labels":
            write_export(label_export(only), output, as_json)
        else:
            write_out(write_qrels(only.qrels), output)
        say_aside(f"{counted(len(only.qrels), 'pair')}; {len(only.unsettled)} left without a grade")
    if export:
        return
    found: dict[str, Consensus] = {}
    refused: dict[str, str] = {}
    for one in choices:
        try:
            found[choice_name(one)] = settled(one)
        except WorkbenchError as error:
            if len(choices) == 1:
                raise
            refused[choice_name(one)] = str(error)
    accuracies: dict[str, dict[str, float | None]] = {}
    agreement: dict[str, dict[str, float | None]] = {}
    if gold:
        experts = grades_of(read_graded(gold, codes))
        accuracies = {name: with_experts(one, experts, relevant_from) for name, one in found.items()}
        agreement["latest"] = crowd_agreement(latest.judgments)
        if latest.contradicted:
            agreement["first"] = crowd_agreement(latest_judgments(given[::-1]).judgments)
    agreement = {which: values for which, values in agreement.items() if values}
    summaries = {name: summary(one) for name, one in found.items()}
    if as_json:
        say_json(
            {
                "judgments": latest.events,
                "repeated": latest.repeated,
                "contradicted": latest.contradicted,
                "rules": {name: summary_json(one) for name, one in summaries.items()},
                "refused": refused,
                "accuracy": accuracies,
                "agreement": agreement,
            }
        )
        return
    say_summaries(summaries, refused)
    if accuracies:
        click.echo()
        say_figures(
            ["rule", "known", "n", "accuracy", "same grade", "kappa"],
            (
                (
                    *(name, one["known"], one["n"]),
                    *(figure(one[key], "z.3f", "undefined") for key in ("accuracy", "same_grade", "kappa")),
                )
                for name, one in accuracies.items()
            ),
        )
        for which, values in agreement.items():
            listed = ", ".join(
                f"{name} {figure(value, 'z.3f', 'undefined')}" for name, value in values.items()
            )
            say_aside(f"note: agreement of the assessors, the {which} judgments: {listed}")


def with_experts(
    found: Consensus, experts: Mapping[Pair, int], relevant_from: int
) -> dict[str, float | None]:
    """How right a rule is by experts' grades: of `known` pairs it settled `n`.

    `accuracy` is the share on the right side of the relevance threshold, `same_grade` that with the very
    grade, `kappa` the pooled kappa with the experts, relevant or not; each None where it is undefined.
    """
    same_scale = found.relevant_from == relevant_from
    right = accuracy(found, experts, relevant_from=relevant_from, same_scale=same_scale)
    sides = {
        "rule": {(q.topic, q.docno): int(q.grade >= found.relevant_from) for q in found.qrels},
        "experts": {pair: int(grade >= relevant_from) for pair, grade in experts.items()},
    }
    both, _, _ = judged_ratings(sides, categories=(1, 0))
    return {
        "known": right.known,
        "n": right.n,
        "accuracy": right.binary,
        "same_grade": right.exact,
        "kappa": coefficient_value(both.with_all(), "pooled").value if right.n else None,
    }


def crowd_agreement(judgments: Sequence[Judgment]) -> dict[str, float | None]:
    """Krippendorff's alpha of all grades, nominal and ordinal; unsure and cannot judge do not enter."""
    people: dict[str, dict[Pair, int]] = {}
    for one in judgments:
        if one.grade is not None:
            people.setdefault(one.assessor, {})[one.topic, one.docno] = one.grade
    grades = sorted({grade for given in people.values() for grade in given.values()})
    if len(people) < 2 or len(grades) < 2:
        return {}
    ratings, _, _ = judged_ratings(people, categories=grades)
    return {f"alpha {level}": alpha(ratings, level).value for level in ("nominal", "ordinal")}


def say_summaries(found: Mapping[str, Summary | None], refused: Mapping[str, str]) -> None:
    """Print what each rule settles and leaves; why pairs are left stands on the error stream."""
    rows = [
        (
            name,
            one.settled,
            one.unsettled,
            " ".join(f"{grade}:{count}" for grade, count in one.by_grade),
            one.relevant,
            len(one.without_relevant),
            figure(one.confidence, "z.3f", ""),
        )
        for name, one in found.items()
        if one is not None
    ]
    headings = ["rule", "settled", "left", "grades", "relevant", "topics without relevant", "confidence"]
    say_table(headings, rows, numeric=(1, 2, 4, 5, 6))
    for name, one in found.items():
        for reason, count in one.left if one else ():
            say_aside(f"note: {name} leaves {count}: {reason}")
    for name, reason in refused.items():
        say_aside(f"note: {name} cannot be applied: {reason}")


def write_export(export: Export, output: Path | None, as_json: bool) -> None:
    """Write a table as CSV or as JSON."""
    parts = [json.dumps(export.data(), allow_nan=False).encode() + b"\n"] if as_json else export.csv_parts()
    write_out(parts, output)
