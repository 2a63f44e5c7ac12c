"""Plans of an overlap as they are taken along: plain data, rows of a table, LaTeX tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from workbench.agreement.latex import document, escaped, number, table
from workbench.agreement.sample_simulation import PlannedDraw
from workbench.agreement.sample_size import UNDEFINED, Draw, SampleSize
from workbench.export import Export

PLAN_COLUMNS = (
    "draw", "coefficient", "value", "half_width", "level", "assessors", "pairs", "by_first_label", "effect",
    "simulated_half_width", "simulated_coverage", "holds_too_seldom", "undefined_rounds", "rounds", "seed",
    "undefined", "would_define",
)  # fmt: skip
SIZES = (50, 100, 200, 300, 500, 1000, 2000, 5000)
"""Numbers of pairs for which the half width is told."""
WOULD_DEFINE = {UNDEFINED: "shares in which two grades at least occur"}
DRAWN = {Draw.RANDOM: "At random", Draw.LABEL: "By the first label", Draw.TOPIC: "By topic"}


def plans_export(planned: Sequence[PlannedDraw], said: Mapping[str, object]) -> Export:
    """Every way of drawing, each form when it is called for; plain data has what else is said."""

    def data() -> dict[str, object]:
        return {**said, "draws": [plan_data(one) for one in planned]}

    return Export(PLAN_COLUMNS, partial(plan_rows, planned), data, partial(plans_latex, planned))


def plan_data(one: PlannedDraw) -> dict[str, object]:
    """One way of drawing, with what simulated samples came to, and the half width of other sizes."""
    needed, proof = one.needed, one.proof
    found: dict[str, object] = {"draw": str(needed.draw), "pairs": needed.pairs, "effect": needed.effect}
    if needed.undefined:
        return found | {"undefined": needed.undefined, "would_define": _would_define(needed)}
    if needed.by_label:
        found["by_first_label"] = list(needed.by_label)
    if proof.rounds:
        found["simulated"] = {
            "half_width": proof.half_width,
            "coverage": proof.coverage,
            "holds_too_seldom": one.seldom,
            "undefined": proof.undefined,
            "rounds": proof.rounds,
            "seed": proof.seed,
        }
    return found | {"half_width_of": {str(size): needed.reach(size) for size in SIZES}}


def plan_rows(planned: Sequence[PlannedDraw]) -> Iterator[tuple[object, ...]]:
    """Every way of drawing as a row of PLAN_COLUMNS, with all digits."""
    for one in planned:
        needed, proof = one.needed, one.proof
        simulated: tuple[object, ...] = (None,) * 6
        if proof.rounds:
            simulated = (
                proof.half_width, proof.coverage, one.seldom, proof.undefined, proof.rounds, proof.seed
            )  # fmt: skip
        yield (
            str(needed.draw), needed.coefficient, needed.value, needed.half_width, needed.level,
            needed.assessors, needed.pairs, " ".join(map(str, needed.by_label)), needed.effect, *simulated,
            needed.undefined, _would_define(needed),
        )  # fmt: skip


def plans_latex(planned: Sequence[PlannedDraw]) -> str:
    """The pairs that every way of drawing needs, and the half width of so many pairs."""
    rows = [
        (
            DRAWN[one.needed.draw],
            "--" if one.needed.pairs is None else f"{one.needed.pairs:,}",
            " + ".join(f"{count:,}" for count in one.needed.by_label) or "--",
            "--" if one.proof.half_width is None else rf"$\pm$ {number(one.proof.half_width)}",
            "--" if one.proof.coverage is None else rf"{100 * one.proof.coverage:.1f}\,\%",
        )
        for one in planned
    ]
    proof = planned[0].proof
    simulated = (
        f" Simulated: the middle half width of {proof.rounds:,} samples of that size, and in how many the "
        f"interval holds the true value; seed {proof.seed}."
        if proof.rounds
        else ""
    )
    caption = f"Pairs that all must judge: {escaped(in_words(planned[0].needed))}.{simulated}"
    heads = ("Drawn", "Pairs", "Of each first label", "Simulated", "True in")
    sizes = [
        (
            f"{size:,}",
            *("--" if reach is None else rf"$\pm$ {number(reach)}" for reach in _reaches(planned, size)),
        )
        for size in SIZES
    ]
    return document(
        table("lrrrr", heads, rows, caption, "tab:overlap"),
        table(
            f"r{'r' * len(planned)}",
            ("Pairs", *(DRAWN[one.needed.draw] for one in planned)),
            sizes,
            "Half width of the interval by the number of pairs.",
            "tab:overlap-sizes",
        ),
    )


def in_words(needed: SampleSize) -> str:
    """What is expected and wished, in a sentence."""
    if needed.value is None:
        return f"{needed.undefined}; what would define it: {_would_define(needed)}"
    who = "" if needed.assessors == 2 else f" of {needed.assessors} assessors a pair"
    # A hair below 0 is rounding: no minus stands before a zero.
    value = round(needed.value, 3) + 0.0
    return (
        f"{needed.coefficient} {value:.3f}{who} expected, wished ± {needed.half_width:g} "
        f"at {100 * needed.level:g} %"
    )


def _reaches(planned: Sequence[PlannedDraw], size: int) -> Iterator[float | None]:
    return (one.needed.reach(size) for one in planned)


def _would_define(needed: SampleSize) -> str:
    return WOULD_DEFINE.get(needed.undefined, "")
