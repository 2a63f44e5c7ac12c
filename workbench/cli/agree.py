"""`workbench agree` and `sample-size`: how far assessors agree, and how many pairs it takes to say so.

The flags of reports, here and in campaigns, are made from the one table of agreement options.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.estimates import coefficients_of
from workbench.agreement.options import OPTIONS, AgreementOptions, Basis, Machines, OptionDefinition, Singles
from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE, Assessor, answers_of
from workbench.agreement.report import agreement_report, matrix
from workbench.agreement.sample_size import (
    HALF_WIDTH,
    ICC,
    KAPPA,
    PLANNED,
    RELEVANT,
    TOPICS,
    SizeRequest,
    sample_size,
)
from workbench.agreement.selection import Selection, select_ratings
from workbench.agreement.weights import WEIGHTS, OwnWeights, parse_weights
from workbench.cli.agreement_output import print_agreement
from workbench.cli.files import FILE
from workbench.cli.output import (
    Command,
    Decorator,
    Function,
    Integers,
    Texts,
    all_of,
    arguments,
    flag,
    form_options,
    json_flag,
    repeatable,
    say_aside,
    say_json,
    say_mismatch,
    setting,
    usage_errors,
)
from workbench.cli.qrels_files import cannot_judge_option, read_judgment_files, read_qrels_by_assessor
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Answer

if TYPE_CHECKING:
    from workbench.cli.agreement_output import Result


REPORT_FIELDS = (
    "relevant_from", "graded", "basis", "singles", "documents", "machines", "assessors", "weights", "level",
)  # fmt: skip
"""The options of the whole report."""


@frozen_dataclass
class View:
    """Which part of a report a command prints, and in which form.

    The part is the whole `report`, the `matrix` of assessors, the `coefficients` of all alone, or one `pair`.
    """

    part: str
    pair: tuple[str, str]
    form: str


def agreement_options(*names: str) -> Decorator:
    """Give a command the flags of the options named; it gets them as one argument, `options`."""

    def receiving(command: Function) -> Function:
        @functools.wraps(command)
        def with_options(**values: Any) -> Any:
            chosen = {name: _value(OPTIONS[name], values.pop(name)) for name in names}
            return command(options=AgreementOptions(**chosen), **values)

        return with_options

    return all_of(*(_flag(OPTIONS[name]) for name in names), receiving)


def _viewed(command: Function) -> Function:
    @functools.wraps(command)
    def with_view(
        options: AgreementOptions,
        matrix: str | None,
        only: bool,
        pair: tuple[str, str] | None,
        form: str,
        **others: Any,
    ) -> Any:
        if bool(matrix) + only + bool(pair) > 1:
            raise click.UsageError("choose one of --matrix, --coefficients and --pair")
        if options.documents is not None and options.basis is not Basis.ALL:
            raise click.UsageError(f"--documents matters with --basis {Basis.ALL} only")
        part = "matrix" if matrix else "coefficients" if only else "pair" if pair else "report"
        changes: dict[str, Any] = {"coefficient": matrix} if matrix else {}
        if pair:
            # Where two stand alone, nothing is mixed.
            changes["machines"] = Machines.AMONG
        if pair or matrix:
            # They are compared by the table of what both judged.
            changes["singles"] = Singles.LEFT_OUT
        return command(options=replace(options, **changes), view=View(part, pair or ("", ""), form), **others)

    return with_view


def report_options(*more: str) -> Decorator:
    """Give a command the flags of the report and more, as `options`; what it prints comes as `view`."""
    return all_of(
        agreement_options(*REPORT_FIELDS, *more),
        click.option(
            "--matrix",
            type=click.Choice(COEFFICIENTS),
            help="The matrix of assessors by this coefficient.",
        ),
        click.option(
            "--pair",
            nargs=2,
            metavar="NAME NAME",
            help="Two assessors in detail: tables, calculation, disagreements; either may be a machine.",
        ),
        flag("--coefficients", "only", help="Only the coefficients over all assessors; fast."),
        form_options,
        _viewed,
    )


def _flag(option: OptionDefinition) -> Callable[[Command], Command]:
    """The click option of an agreement option."""
    default = option.default
    if isinstance(default, bool):
        return flag(option.flag, option.field, help=option.help)
    if option.field == "assessors":
        return repeatable(option.flag, option.field, help=option.help)
    kind: Any = str
    shown = default
    if option.field != "weights" and option.choices:
        kind = click.Choice([str(word) for word in option.choices])
        shown = str(default)
    elif option.parse is int and option.low is not None:
        kind = click.IntRange(option.low)
    elif option.parse is int:
        kind = int
    return click.option(
        option.flag,
        option.field,
        type=kind,
        default=shown,
        show_default=shown is not None,
        metavar=option.metavar,
        help=option.help,
    )


def _value(option: OptionDefinition, given: Any) -> Any:
    if option.field == "assessors":
        return frozenset(given) or None
    if option.field == "weights":
        return _weights(given)
    return option.parse(given) if isinstance(given, str) else given


def _weights(name: str) -> str | OwnWeights:
    """A name of weights, or the weights of a file."""
    if name in WEIGHTS:
        return name
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError):
        raise WorkbenchError(
            f"{name} is neither the name of weights nor a readable file",
            remedy=f"choose one of {', '.join(WEIGHTS)}, or a file with a row for each grade, the lowest "
            "first",
        ) from None
    try:
        return parse_weights(text, source=name)
    except WorkbenchError as error:
        message = error.message if error.message.startswith(name) else f"{name}: {error.message}"
        raise WorkbenchError(message, remedy=error.remedy) from None


_ANSWERS = {Answer.UNSURE: UNSURE, Answer.CANNOT_JUDGE: CANNOT_JUDGE}
Given = tuple[str, str, str, int]
"""An assessor's name, topic, docno, and a grade or an answer that is none."""


@click.command("agree")
@arguments("files", type=FILE, metavar="A [B C...]")
@flag("--judgments", "as_judgments", help="The files have a column for the assessor.")
@cannot_judge_option
@setting(
    "--repeats",
    type=click.Choice(["last", "first"]),
    default="last",
    help="Which answer counts if an assessor answered twice.",
)
@repeatable("--machine", "machine_names", help="Name of an assessor that is a machine (repeatable).")
@click.option(
    "--scale",
    metavar="GRADES",
    help="All grades of the scale, such as '0 1 2 3'; by default, those that occur.",
)
@report_options()
def command(
    files: Texts,
    as_judgments: bool,
    codes: Integers,
    repeats: str,
    machine_names: Texts,
    scale: str | None,
    options: AgreementOptions,
    view: View,
) -> None:
    """Compare assessors: the qrels of two or more, A B [C...], one file each.

    With --judgments each file is TSV with the header `topic doc assessor grade`, of any number of assessors.
    Only pairs that two assessors judged are included unless --basis says otherwise. A negative grade of
    qrels means "not judged" and is left out, one of --cannot-judge is counted as that answer. Files may be
    gzip; - is the standard input.
    """
    threshold = options.relevant_from
    if threshold is not None and threshold < 1:
        raise click.UsageError("--relevant-from must be 1 or more")
    if repeats != "last" and not as_judgments:
        raise click.UsageError("--repeats goes with --judgments")
    if len(files) < 2 and not as_judgments:
        raise click.UsageError("two files of qrels are needed, or one with --judgments")
    if as_judgments:
        judgments = read_judgment_files(files, codes)
        read = [(j.assessor, j.topic, j.docno, _ANSWERS.get(j.answer, j.grade or 0)) for j in judgments]
    else:
        read = [
            (name, qrel.topic, qrel.docno, CANNOT_JUDGE if qrel.grade in codes else qrel.grade)
            for name, qrels in read_qrels_by_assessor(files, codes)
            for qrel in qrels
        ]
    _warn_of_strangers(read)
    names = list(dict.fromkeys(name for name, *_ in read))
    if unknown := sorted(set(machine_names) - set(names)):
        message = f"{', '.join(unknown)} is not an assessor in these files"
        raise WorkbenchError(message, remedy=f"choose from {', '.join(names)}")
    place = {name: number for number, name in enumerate(names)}
    rows = [(place[name], topic, docno, answer) for name, topic, docno, answer in read]
    assessors = [Assessor(name, name in machine_names) for name in names]
    answers = answers_of(assessors, rows[::-1] if repeats == "first" else rows)
    categories = _scale(scale, read)
    if threshold is not None and threshold > max(categories):
        raise WorkbenchError(
            f"no grade is {threshold} or higher, so nothing is relevant; the highest is {max(categories)}",
            remedy="choose a lower --relevant-from, or name all grades by --scale",
        )
    if options.graded and scale is None:
        _note_never_given(categories)
    selection = select_ratings(answers, categories, options)
    if view.part == "pair":
        # Imported where it is used, since the other parts need none of it.
        from workbench.agreement.pair_report import pair_report

        first, second = view.pair
        print_agreement(pair_report(selection, options, first=first, second=second), options, view.form)
    else:
        print_agreement(PARTS[view.part](selection, options), options, view.form)


PARTS: dict[str, Callable[[Selection, AgreementOptions], Result]] = {
    "report": agreement_report,
    "matrix": matrix,
    "coefficients": coefficients_of,
}


def _warn_of_strangers(given: Sequence[Given]) -> None:
    """Warn of assessors who judged nothing that anybody else judged."""
    judged: dict[str, dict[tuple[str, str], None]] = {}
    for name, topic, docno, _ in given:
        judged.setdefault(name, {})[topic, docno] = None
    if len(judged) < 2:
        return
    # Imported where it is used, since few need it: the runs of scoring come with it.
    from workbench.scoring.run_arrays import likely_cause

    many = Counter(pair for pairs in judged.values() for pair in pairs)
    for name, pairs in judged.items():
        if any(many[pair] > 1 for pair in pairs):
            continue
        others = [pair for other, its in judged.items() if other != name for pair in its]
        topics = {topic for topic, _ in others}
        shared = [docno for topic, docno in pairs if topic in topics]
        cause = (
            likely_cause(shared, (docno for _, docno in others))
            if shared
            else likely_cause((topic for topic, _ in pairs), (topic for topic, _ in others))
        )
        say_mismatch(f"{name} shares no pair of topic and document with any other assessor: {cause}")


def _note_never_given(grades: Sequence[int]) -> None:
    missing = sorted(set(range(min(grades), max(grades) + 1)) - set(grades))
    if missing:
        every = " ".join(map(str, range(min(grades), max(grades) + 1)))
        say_aside(
            f"note: nobody gave {_listed(missing)}: tables have no row for it, but linear and quadratic "
            f"weights count the distance; --scale '{every}' adds the row",
        )


def _listed(grades: Sequence[int]) -> str:
    shown = ", ".join(map(str, grades[:10])) + (", ..." if len(grades) > 10 else "")
    return f"grade {shown}" if len(grades) == 1 else f"the grades {shown}"


def _scale(typed: str | None, given: Sequence[Given]) -> tuple[int, ...]:
    if typed is None:
        return tuple(sorted({answer for *_, answer in given if answer >= 0} or {0}))
    try:
        grades = tuple(int(word) for word in typed.replace(",", " ").split())
    except ValueError:
        grades = ()
    if len(set(grades)) < 2 or min(grades) < 0:
        raise WorkbenchError(
            f"{typed!r} is not a scale", remedy="write two grades or more, from 0, such as '0 1 2 3'"
        )
    return tuple(sorted(set(grades)))


_number = partial(click.option, type=float, show_default=True)


@click.command("sample-size")
@setting("--coefficient", type=click.Choice(PLANNED), default="pooled", help="Coefficient.")
@_number("--half-width", default=HALF_WIDTH, help="Half width of its 95 % interval: 0.1 for ± 0.1.")
@_number("--kappa", default=KAPPA, help="Expected pooled kappa of two assessors.")
@_number("--relevant", default=RELEVANT, help="Expected share of relevant documents.")
@setting("--topics", type=int, default=TOPICS, help="Number of equally rich topics.")
@_number("--icc", default=ICC, help="Correlation within topics; 0: topics do not differ.")
@json_flag(help="Print JSON.")
def sample_size_command(as_json: bool, **asked: Any) -> None:
    """Compute how many documents two assessors must judge to know their agreement to a given half width.

    With few topics no number of documents gives a narrow interval: then it says how many topics would do.
    """
    with usage_errors():
        found = sample_size(SizeRequest(**asked))
    if as_json:
        say_json(asdict(found))
    else:
        click.echo(found.in_words)
