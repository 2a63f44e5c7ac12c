"""Two rounds of judging as they are taken along: plain data, rows of a table, LaTeX tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from workbench.agreement.report.latex_table import document, escaped, number, table
from workbench.agreement.rounds import Rounds, TwoValues
from workbench.export import Export

ROUND_COLUMNS = (
    "part", "name", "grades", "before", "after", "labels", "changed", "raised", "lowered", "undefined",
    "would_define",
)  # fmt: skip


def rounds_export(found: Rounds) -> Export:
    """All of it, each form when it is called for."""
    return Export(
        ROUND_COLUMNS, partial(rounds_rows, found), partial(rounds_data, found), partial(rounds_latex, found)
    )


def rounds_data(found: Rounds, *, names: bool = True) -> dict[str, Any]:
    """Two rounds as plain data, with all digits; without `names` nothing of single assessors."""
    return {
        "pairs": found.pairs,
        "labels": found.labels,
        "changed": found.changed,
        "assessors": [
            {
                "assessor": one.assessor,
                "labels": one.labels,
                "changed": one.changed,
                "raised": one.raised,
                "lowered": one.lowered,
            }
            for one in (found.assessors if names else ())
        ],
        "graded": [_data(one) for one in found.graded],
        "binary": [_data(one) for one in found.binary],
    }


def rounds_rows(found: Rounds, *, names: bool = True) -> Iterator[tuple[object, ...]]:
    """The coefficients before and after, then what each assessor changed, as rows of ROUND_COLUMNS."""
    for kind, values in _kinds(found):
        for one in values:
            yield (
                "coefficient", one.name, kind, one.before.value, one.after.value, *([None] * 4), *_why(one)
            )  # fmt: skip
    for who in found.assessors if names else ():
        counts = (who.labels, who.changed, who.raised, who.lowered)
        yield ("assessor", who.assessor, None, None, None, *counts, "", "")


def rounds_latex(found: Rounds, *, names: bool = True) -> str:
    """The same as two tables, or without `names` the first alone."""
    values = [
        (escaped(one.label), kind, number(one.before.value), number(one.after.value))
        for kind, some in _kinds(found)
        for one in some
    ]
    caption = (
        f"Agreement before and after the discussion, on {found.pairs:,} pairs; {found.changed:,} of "
        f"{found.labels:,} labels changed."
    )
    made = [table("llrr", ("Coefficient", "Grades", "Before", "After"), values, caption, "tab:rounds")]
    if names:
        made.append(_changes(found))
    return document(*made)


def _changes(found: Rounds) -> str:
    rows = [
        (
            escaped(one.assessor),
            *(f"{count:,}" for count in (one.labels, one.changed, one.raised, one.lowered)),
        )
        for one in found.assessors
    ]
    caption = "What each assessor changed in the discussion."
    heads = ("Assessor", "Labels", "Changed", "Raised", "Lowered")
    return table("lrrrr", heads, rows, caption, "tab:rounds-assessors")


def _kinds(found: Rounds) -> tuple[tuple[str, tuple[TwoValues, ...]], ...]:
    return ("all grades", found.graded), ("relevant or not", found.binary)


def _why(one: TwoValues) -> tuple[str, str]:
    """Why one of the two has no value, and what would give it one."""
    return ("", "") if one.without is None else (one.without.undefined, one.without.would_define)


def _data(one: TwoValues) -> dict[str, Any]:
    undefined, would_define = _why(one)
    return {
        "coefficient": one.name,
        "before": one.before.value,
        "after": one.after.value,
        "undefined": undefined,
        "would_define": would_define,
    }
