"""Plans of an overlap for other programs and papers: CSV, JSON, LaTeX, and one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import cast

from workbench.agreement.sample_simulation import PlannedDraw
from workbench.agreement.sample_size import UNDEFINED, Draw, SampleSize
from workbench.export import Export
from workbench.json_forms import OverlapPlanJson, PlannedDrawJson, SimulatedDraws, filled
from workbench.latex import document, escaped, number, table

PLAN_COLUMNS = (
    "draw", "coefficient", "value", "half_width", "level", "assessors", "pairs", "by_first_label", "effect",
    "simulated_half_width", "simulated_coverage", "holds_too_seldom", "undefined_rounds", "rounds", "seed",
    "undefined", "would_define",
)  # fmt: skip
SIZES = (50, 100, 200, 300, 500, 1000, 2000, 5000)
"""Numbers of pairs for which the half width is reported."""
WOULD_DEFINE = {UNDEFINED: "shares in which at least two grades occur"}
DRAWN = {Draw.RANDOM: "At random", Draw.LABEL: "By the first label", Draw.TOPIC: "By topic"}


def plans_export(planned: Sequence[PlannedDraw], facts: Mapping[str, object]) -> Export:
    """Every way of drawing; the plain data begins with the facts on which the plan rests."""

    data = partial(plans_json, planned, facts)
    return Export(PLAN_COLUMNS, partial(_rows, planned), data, partial(_latex, planned))


def plans_json(planned: Sequence[PlannedDraw], facts: Mapping[str, object]) -> OverlapPlanJson:
    """Every way of drawing as plain data, behind the facts on which the plan rests."""
    return cast(OverlapPlanJson, {**facts, "draws": [_data(one) for one in planned]})


def in_words(size: SampleSize) -> str:
    """What is expected and requested, in a sentence."""
    if size.value is None:
        return f"{size.undefined}; what would define it: {_would_define(size)}"
    request = size.request
    who = "" if request.assessors == 2 else f" of {request.assessors} assessors per pair"
    # A hair below 0 is rounding: no minus stands before a zero.
    value = round(size.value, 3) + 0.0
    return (
        f"{request.target.label} {value:z.3f}{who} expected, requested ± {request.half_width:g} "
        f"at {100 * request.level:g} %"
    )


def _data(one: PlannedDraw) -> PlannedDrawJson:
    """One way of drawing, with its simulated samples, and the half width of other sizes."""
    size, simulation = one.size, one.simulation
    found: PlannedDrawJson = {"draw": str(size.draw), "pairs": size.pairs, "effect": size.effect}
    if size.undefined:
        found["undefined"], found["would_define"] = size.undefined, _would_define(size)
        return found
    if size.by_label:
        found["by_first_label"] = list(size.by_label)
    if simulation.rounds:
        found["simulated"] = filled(SimulatedDraws, simulation, holds_too_seldom=one.under_covers)
    found["half_width_of"] = {str(pairs): size.half_width_of(pairs) for pairs in SIZES}
    return found


def _rows(planned: Sequence[PlannedDraw]) -> Iterator[tuple[object, ...]]:
    """Every way of drawing as a row of PLAN_COLUMNS, with all digits."""
    for one in planned:
        size, simulation, request = one.size, one.simulation, one.size.request
        simulated: tuple[object, ...] = (None,) * 6
        if simulation.rounds:
            simulated = (
                simulation.half_width, simulation.coverage, one.under_covers, simulation.undefined,
                simulation.rounds, simulation.seed,
            )  # fmt: skip
        yield (
            str(size.draw), request.target.label, size.value, request.half_width, request.level,
            request.assessors, size.pairs, " ".join(map(str, size.by_label)), size.effect, *simulated,
            size.undefined, _would_define(size),
        )  # fmt: skip


def _latex(planned: Sequence[PlannedDraw]) -> str:
    """A table of the pairs that every way of drawing needs, and one of the half width of so many pairs."""
    rows = [
        (
            DRAWN[one.size.draw],
            "--" if one.size.pairs is None else f"{one.size.pairs:,}",
            " + ".join(f"{count:,}" for count in one.size.by_label) or "--",
            _plus_minus(one.simulation.half_width),
            "--" if one.simulation.coverage is None else rf"{100 * one.simulation.coverage:.1f}\,\%",
        )
        for one in planned
    ]
    simulation = planned[0].simulation
    simulated = (
        f" Simulated: the median half width of {simulation.rounds:,} samples of that size, and the share of "
        f"them whose interval covers the true value; seed {simulation.seed}."
        if simulation.rounds
        else ""
    )
    caption = f"Pairs that all assessors must judge: {escaped(in_words(planned[0].size))}.{simulated}"
    heads = ("Drawn", "Pairs", "Of each first label", "Half width", "Coverage")
    sizes = [
        (f"{pairs:,}", *(_plus_minus(one.size.half_width_of(pairs)) for one in planned)) for pairs in SIZES
    ]
    return document(
        table("lrrrr", heads, rows, caption, "tab:overlap"),
        table(
            f"r{'r' * len(planned)}",
            ("Pairs", *(DRAWN[one.size.draw] for one in planned)),
            sizes,
            "Half width of the interval by the number of pairs.",
            "tab:overlap-sizes",
        ),
    )


def _plus_minus(half_width: float | None) -> str:
    return "--" if half_width is None else rf"$\pm$ {number(half_width)}"


def _would_define(size: SampleSize) -> str:
    return WOULD_DEFINE.get(size.undefined, "")
