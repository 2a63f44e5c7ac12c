"""Agreement before and after a discussion: the same assessors on the same pairs, twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.agreement.coefficients import coefficients_on
from workbench.agreement.coefficients.coefficient import CoefficientValue, value_of
from workbench.agreement.ratings import Ratings, judged_ratings
from workbench.agreement.tally import tally
from workbench.agreement.weights import nominal
from workbench.json_forms.filling import filled
from workbench.json_forms.results import ChangedAnswers, CoefficientOfRounds, RoundsJson
from workbench.latex import document, escaped, number, table
from workbench.tables import Export

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
    """What became of the `labels` that one assessor gave before: kept, changed up or down, or withdrawn.

    Withdrawn is a label in whose place there is no grade after, such as unsure; `added` counts the labels
    given after alone.
    """

    assessor: str
    labels: int
    raised: int
    lowered: int
    withdrawn: int
    added: int

    @property
    def changed(self) -> int:
        """How many labels are other ones."""
        return self.raised + self.lowered

    @property
    def kept(self) -> int:
        """How many labels stayed as they were."""
        return self.labels - self.changed - self.withdrawn


@dataclass(frozen=True, slots=True)
class Rounds:
    """Two rounds of the same assessors, each over all labels given in it; `pairs` have one before.

    `graded` holds the coefficients over all grades (nominal), `binary` over relevant or not. Pooled kappa of
    three or more assessors is Fleiss' where all judged all pairs.
    """

    pairs: int
    assessors: tuple[AssessorChanges, ...]
    graded: tuple[TwoValues, ...]
    binary: tuple[TwoValues, ...]

    @property
    def labels(self) -> int:
        """How many labels were given before."""
        return sum(one.labels for one in self.assessors)

    @property
    def changed(self) -> int:
        """How many of them are other ones after."""
        return sum(one.changed for one in self.assessors)

    @property
    def withdrawn(self) -> int:
        """How many of them have no grade in their place after."""
        return sum(one.withdrawn for one in self.assessors)


def compare_rounds(before: Grades, after: Grades, *, categories: Sequence[int], relevant_from: int) -> Rounds:
    """Compare two rounds: agreement in each over all that was said in it, and what each assessor changed.

    `categories` are the grades of the declared scale. Raises WorkbenchError for a grade that is not among
    them.
    """
    changes = tuple(
        _changes_of(name, before.get(name, {}), after.get(name, {}))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) or after.get(name)
    )
    ratings = [_ratings(one, categories) for one in (before, after)]
    return Rounds(
        pairs=len({pair for given in before.values() for pair in given}),
        assessors=changes,
        graded=_both(*ratings),
        binary=_both(*(one.from_grade(relevant_from) for one in ratings)),
    )


def _changes_of(
    name: str, before: Mapping[tuple[str, str], int], after: Mapping[tuple[str, str], int]
) -> AssessorChanges:
    both = before.keys() & after.keys()
    return AssessorChanges(
        name,
        len(before),
        raised=sum(after[pair] > before[pair] for pair in both),
        lowered=sum(after[pair] < before[pair] for pair in both),
        withdrawn=len(before) - len(both),
        added=len(after) - len(both),
    )


def _ratings(given: Grades, categories: Sequence[int]) -> Ratings:
    """The grades as the report of agreement has them: two are compared by the table of what both judged."""
    people = {name: grades for name, grades in given.items() if grades}
    ratings = judged_ratings(people, categories=categories)[0]
    return ratings if ratings.n_assessors > 2 else ratings.shared()


def _both(before: Ratings, after: Ratings) -> tuple[TwoValues, ...]:
    """The coefficients as the report of agreement has them, alpha for grades with an order."""
    plain = nominal(len(before.categories))
    first, second = (tally(one, plain).total() for one in (before, after))
    return tuple(
        TwoValues(one.name, one.label, value_of(one, first, plain), value_of(one, second, plain))
        for one in coefficients_on(before.categories, level="ordinal")
        if one.name in SHOWN
    )


COUNTS = ("labels", "kept", "changed", "raised", "lowered", "withdrawn", "added")
COLUMNS = (
    "part", "name", "grades", "before", "after", "pairs_before", "pairs_after", *COUNTS, "undefined",
    "would_define",
)  # fmt: skip


def rounds_export(found: Rounds) -> Export:
    """All of it, each form when it is called for."""
    return Export(COLUMNS, partial(_rows, found), partial(_rounds_data, found), partial(_latex, found))


def _rounds_data(found: Rounds) -> RoundsJson:
    """Two rounds as plain data, with all digits."""
    return {
        "pairs": found.pairs,
        "labels": found.labels,
        "changed": found.changed,
        "withdrawn": found.withdrawn,
        "assessors": [filled(ChangedAnswers, one) for one in found.assessors],
        "graded": [_data(one) for one in found.graded],
        "binary": [_data(one) for one in found.binary],
    }


def _rows(found: Rounds) -> Iterator[tuple[object, ...]]:
    """The coefficients before and after, then what each assessor changed, as rows of COLUMNS."""
    for kind, values in _kinds(found):
        for one in values:
            yield (
                "coefficient", one.name, kind, one.before.value, one.after.value, one.before.n, one.after.n,
                *([None] * 7), *_why(one),
            )  # fmt: skip
    for who in found.assessors:
        yield ("assessor", who.assessor, *([None] * 5), *counts_of(who), "", "")


def counts_of(one: AssessorChanges) -> tuple[int, ...]:
    """What an assessor changed, in the order of COUNTS."""
    return one.labels, one.kept, one.changed, one.raised, one.lowered, one.withdrawn, one.added


def _latex(found: Rounds) -> str:
    """The same as two tables."""
    values = [
        (
            escaped(one.label),
            kind,
            number(one.before.value),
            f"{one.before.n:,}",
            number(one.after.value),
            f"{one.after.n:,}",
        )
        for kind, some in _kinds(found)
        for one in some
    ]
    caption = (
        f"Agreement before and after the discussion, on {found.pairs:,} pairs; {found.changed:,} of "
        f"{found.labels:,} labels changed, {found.withdrawn:,} were withdrawn."
    )
    heads = ("Coefficient", "Grades", "Before", "$n$", "After", "$n$")
    return document(table("llrrrr", heads, values, caption, "tab:rounds"), _changes(found))


def _changes(found: Rounds) -> str:
    rows = [(escaped(one.assessor), *(f"{count:,}" for count in counts_of(one))) for one in found.assessors]
    caption = "What each assessor changed in the discussion."
    heads = ("Assessor", *(name.capitalize() for name in COUNTS))
    return table("lrrrrrrr", heads, rows, caption, "tab:rounds-assessors")


def _kinds(found: Rounds) -> tuple[tuple[str, tuple[TwoValues, ...]], ...]:
    return ("all grades", found.graded), ("relevant or not", found.binary)


def _why(one: TwoValues) -> tuple[str, str]:
    """Why one of the two has no value, and what would give it one."""
    return ("", "") if one.without is None else (one.without.undefined, one.without.would_define)


def _data(one: TwoValues) -> CoefficientOfRounds:
    undefined, would_define = _why(one)
    return {
        "coefficient": one.name,
        "before": one.before.value,
        "after": one.after.value,
        "pairs_before": one.before.n,
        "pairs_after": one.after.n,
        "undefined": undefined,
        "would_define": would_define,
    }
