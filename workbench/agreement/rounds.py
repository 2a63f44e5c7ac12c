"""Agreement before and after a discussion: the same assessors on the same pairs, twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from workbench.agreement.coefficients import COEFFICIENTS, coefficient_value
from workbench.agreement.coefficients.coefficient import CoefficientValue
from workbench.agreement.latex import document, escaped, number, table
from workbench.agreement.ratings import Ratings, judged_ratings
from workbench.export import Export

Grades = Mapping[str, Mapping[tuple[str, str], int]]
"""Grades by assessor and (topic, docno)."""

SHOWN = ("observed", "pooled", "alpha")


@dataclass(frozen=True, slots=True)
class TwoValues:
    """One coefficient before and after; `label` is what it is called."""

    name: str
    label: str
    before: CoefficientValue
    after: CoefficientValue

    @property
    def without(self) -> CoefficientValue | None:
        """The first of the two that has no value, which says why; None where both have one."""
        return next((one for one in (self.before, self.after) if one.value is None), None)


@dataclass(frozen=True, slots=True)
class AssessorChanges:
    """What one assessor changed: of `labels` given in both rounds, how many, and in which direction."""

    assessor: str
    labels: int
    raised: int
    lowered: int

    @property
    def changed(self) -> int:
        """How many labels are other ones."""
        return self.raised + self.lowered


@dataclass(frozen=True, slots=True)
class Rounds:
    """Two rounds of the same assessors, over the labels that were given in both.

    `graded` holds the coefficients over all grades (nominal), `binary` over relevant or not. Pooled kappa of
    three or more assessors is Fleiss' where all judged all pairs.
    """

    pairs: int
    assessors: tuple[AssessorChanges, ...]
    graded: tuple[TwoValues, ...]
    binary: tuple[TwoValues, ...]

    @property
    def labels(self) -> int:
        """How many labels were given in both rounds."""
        return sum(one.labels for one in self.assessors)

    @property
    def changed(self) -> int:
        """How many of them are other ones in the second."""
        return sum(one.changed for one in self.assessors)


def compare_rounds(before: Grades, after: Grades, *, categories: Sequence[int], relevant_from: int) -> Rounds:
    """Compare two rounds; what an assessor graded in one of them only is left out.

    `categories` are the grades of the declared scale. Raises WorkbenchError for a grade that is not among
    them.
    """
    common = {
        name: sorted(before[name].keys() & after[name].keys())
        for name in sorted(before.keys() & after.keys())
    }
    common = {name: pairs for name, pairs in common.items() if pairs}
    first = {name: {pair: before[name][pair] for pair in pairs} for name, pairs in common.items()}
    second = {name: {pair: after[name][pair] for pair in pairs} for name, pairs in common.items()}
    changes = tuple(
        AssessorChanges(
            name,
            len(pairs),
            raised=sum(second[name][pair] > first[name][pair] for pair in pairs),
            lowered=sum(second[name][pair] < first[name][pair] for pair in pairs),
        )
        for name, pairs in common.items()
    )
    ratings = [judged_ratings(one, categories=categories)[0] for one in (first, second)]
    return Rounds(
        pairs=ratings[0].codes.shape[1],
        assessors=changes,
        graded=_both(*ratings),
        binary=_both(*(one.from_grade(relevant_from) for one in ratings)),
    )


def _both(before: Ratings, after: Ratings) -> tuple[TwoValues, ...]:
    return tuple(
        TwoValues(
            name, COEFFICIENTS[name].label, coefficient_value(before, name), coefficient_value(after, name)
        )
        for name in SHOWN
    )


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
