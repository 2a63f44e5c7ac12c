"""The options that both commands on agreement have, gathered into what is wanted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from workbench.agreement.report.figures import ORDER
from workbench.agreement.report.how import MOST_ROUNDS, ROUNDS, How, OwnWeights
from workbench.agreement.several.bootstrap import Unit
from workbench.agreement.several.bounds import Bounds
from workbench.agreement.several.entering import Basis, Machines
from workbench.agreement.several.levels import LEVELS
from workbench.agreement.several.weights import WEIGHTS, own_weights
from workbench.cli.tabular import one_form
from workbench.errors import WorkbenchError

View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is compared, how it is reckoned, and in which form it is told."""

    relevant_from: int | None
    graded: bool
    basis: Basis
    documents: int | None
    machines: Machines
    assessors: frozenset[str] | None
    how: How
    form: str
    matrix: str | None
    only_coefficients: bool
    pair: tuple[str, str] | None


_OPTIONS = (
    click.option(
        "--relevant-from",
        type=click.IntRange(min=1),
        metavar="N",
        help="Lowest relevant grade; with --graded for the overlap of relevant sets only.",
    ),
    click.option("--graded", is_flag=True, help="Compare all grades instead of relevant or not."),
    click.option(
        "--basis",
        type=click.Choice([one.value for one in Basis]),
        default=Basis.BOTH.value,
        show_default=True,
        help="Which pairs enter: judged by two, or also what one or nobody judged, as not relevant.",
    ),
    click.option(
        "--documents",
        type=click.IntRange(1),
        metavar="N",
        help="Documents in the collection; else those known.",
    ),
    click.option(
        "--machines",
        type=click.Choice([one.value for one in Machines]),
        default=Machines.APART.value,
        show_default=True,
        help="Whether machines enter among the people, or only they.",
    ),
    click.option("--assessor", "names", multiple=True, help="Only these, by name."),
    click.option(
        "--weights",
        default="nominal",
        show_default=True,
        metavar="NAME|FILE",
        help=f"How far grades are apart: {', '.join(WEIGHTS)}, or a file with a row for each grade.",
    ),
    click.option(
        "--level",
        type=click.Choice(list(LEVELS)),
        default="ordinal",
        show_default=True,
        help="Of the scale, for Krippendorff's alpha.",
    ),
    click.option(
        "--over",
        type=click.Choice([f"{unit}s" for unit in Unit]),
        default=f"{Unit.TOPIC}s",
        show_default=True,
        help="What is drawn again for intervals.",
    ),
    click.option(
        "--bounds",
        type=click.Choice([one.value for one in Bounds]),
        default=Bounds.EXPANDED.value,
        show_default=True,
        help="Of intervals: percentiles of the resamples, expanded for few topics or as they are.",
    ),
    click.option(
        "--rounds", type=click.IntRange(1, MOST_ROUNDS), default=ROUNDS, show_default=True, help="How often."
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**63 - 1),
        default=0,
        show_default=True,
        help="Of the drawing.",
    ),
    click.option("--matrix", type=click.Choice(ORDER), help="Everybody with everybody, by this figure."),
    click.option(
        "--pair",
        nargs=2,
        metavar="NAME NAME",
        help="Two assessors closely: tables, the working, where they differ; machines may be among them.",
    ),
    click.option("--coefficients", "only", is_flag=True, help="Only those of all together, quickly."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON, with all digits."),
    click.option("--csv", "as_csv", is_flag=True, help="Print CSV, one row a coefficient."),
    click.option("--latex", "as_latex", is_flag=True, help="Print LaTeX tables (booktabs)."),
)


def agreement_options(view: View) -> Callable[..., Any]:
    """Give a command these options; it gets them as one argument, `wanted`."""

    @functools.wraps(view)
    def with_wanted(
        relevant_from: int | None,
        graded: bool,
        basis: str,
        documents: int | None,
        machines: str,
        names: tuple[str, ...],
        weights: str,
        level: str,
        over: str,
        bounds: str,
        rounds: int,
        seed: int,
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
        if documents is not None and Basis(basis) is not Basis.ALL:
            raise click.UsageError(f"--documents matters with --basis {Basis.ALL} only")
        how = How(
            weights=_weights(weights),
            level=level,
            unit=Unit(over[:-1]),
            rounds=rounds,
            seed=seed,
            bounds=Bounds(bounds),
        )
        wanted = Wanted(
            relevant_from=relevant_from,
            graded=graded,
            basis=Basis(basis),
            documents=documents,
            # Where two stand alone, nothing is mixed.
            machines=Machines.AMONG if pair else Machines(machines),
            assessors=frozenset(names) or None,
            how=how,
            form=form,
            matrix=matrix,
            only_coefficients=only,
            pair=pair,
        )
        return view(wanted=wanted, **others)

    command: Callable[..., Any] = with_wanted
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _weights(name: str) -> str | OwnWeights:
    """A name of weights, or the weights that a file holds."""
    if name in WEIGHTS:
        return name
    try:
        lines = Path(name).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError, ValueError):
        raise WorkbenchError(
            f"{name} is neither the name of weights nor a file that can be read",
            remedy=f"one of {', '.join(WEIGHTS)}, or a file with a row for each grade, the lowest first",
        ) from None
    return read_weights(lines, name)


def read_weights(lines: list[str], source: str) -> OwnWeights:
    """Rows of numbers, separated by blanks, tabs or commas; raises WorkbenchError with the line."""
    rows = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                rows.append(tuple(float(cell) for cell in line.replace(",", " ").split()))
            except ValueError:
                raise WorkbenchError(
                    f"{source}:{number}: there is something that is no number",
                    remedy="write how far every two grades disagree, as 0 0.5 1",
                ) from None
    try:
        own_weights(rows)
    except WorkbenchError as error:
        raise WorkbenchError(f"{source}: {error.message}", remedy=error.remedy) from None
    return tuple(rows)
