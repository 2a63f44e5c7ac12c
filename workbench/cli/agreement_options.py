"""The flags of the commands on agreement, made from the one table of agreement options."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.options import OPTIONS, AgreementOptions, Basis, Machines, OptionDefinition, Singles
from workbench.agreement.weights import WEIGHTS, OwnWeights, parse_weights
from workbench.cli.output import form_options, one_form
from workbench.errors import WorkbenchError

Command = TypeVar("Command", bound=Callable[..., Any])
REPORT_FIELDS = (
    "relevant_from", "graded", "basis", "singles", "documents", "machines", "assessors", "weights", "level",
)  # fmt: skip
"""The options of the whole report."""


@dataclass(frozen=True, slots=True)
class View:
    """Which part of a report a command prints, and in which form.

    The part is the whole `report`, the `matrix` of assessors, the `coefficients` of all alone, or one `pair`.
    """

    part: str
    pair: tuple[str, str]
    form: str


def agreement_options(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the flags of the options named; it gets them as one argument, `options`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_options(**values: Any) -> Any:
            chosen = {name: _value(OPTIONS[name], values.pop(name)) for name in names}
            return command(options=AgreementOptions(**chosen), **values)

        made: Callable[..., Any] = with_options
        for name in reversed(names):
            made = _flag(OPTIONS[name])(made)
        return made

    return decorate


def report_options(*more: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the flags of the report and more, as `options`; what it prints comes as `view`."""
    return functools.partial(_with_report_options, (*REPORT_FIELDS, *more))


def _with_report_options(fields: tuple[str, ...], command: Callable[..., Any]) -> Callable[..., Any]:

    @functools.wraps(command)
    def with_view(
        options: AgreementOptions,
        matrix: str | None,
        only: bool,
        pair: tuple[str, str] | None,
        as_json: bool,
        as_csv: bool,
        as_latex: bool,
        **others: Any,
    ) -> Any:
        form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
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
        chosen = replace(options, **changes)
        return command(options=chosen, view=View(part, pair or ("", ""), form), **others)

    made = form_options(with_view)
    for option in reversed(_PARTS):
        made = option(made)
    return agreement_options(*fields)(made)


_PARTS = (
    click.option(
        "--matrix", type=click.Choice(list(COEFFICIENTS)), help="The matrix of assessors by this coefficient."
    ),
    click.option(
        "--pair",
        nargs=2,
        metavar="NAME NAME",
        help="Two assessors in detail: tables, calculation, disagreements; either may be a machine.",
    ),
    click.option("--coefficients", "only", is_flag=True, help="Only the coefficients of all, quickly."),
)


def _flag(option: OptionDefinition) -> Callable[[Command], Command]:
    """The click option of an agreement option."""
    default = option.default
    if isinstance(default, bool):
        return click.option(option.flag, option.field, is_flag=True, help=option.help)
    if option.field == "assessors":
        return click.option(option.flag, option.field, multiple=True, help=option.help)
    kind: Any = str
    shown = default
    if option.field != "weights" and option.choices:
        kind = click.Choice([str(word) for word in option.choices])
        shown = str(default)
    elif option.parse is int and (option.low is not None or option.high is not None):
        kind = click.IntRange(option.low, option.high)
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
            f"{name} is neither the name of weights nor a file that can be read",
            remedy=f"one of {', '.join(WEIGHTS)}, or a file with a row for each grade, the lowest first",
        ) from None
    try:
        return parse_weights(text, source=name)
    except WorkbenchError as error:
        message = error.message if error.message.startswith(name) else f"{name}: {error.message}"
        raise WorkbenchError(message, remedy=error.remedy) from None
