"""Soft labels: the mean of all grades of a pair, not rounded, with the share of every grade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.consensus.judgments import grades_by_pair
from workbench.consensus.rule import Rule
from workbench.export import Export, table_export
from workbench.records import Judgment, Scale, sorted_pairs


@dataclass(frozen=True, slots=True)
class SoftLabel:
    """The mean of the `n` grades of a pair, and the share of each grade of the labels' scale."""

    topic: str
    docno: str
    mean: float
    n: int
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SoftLabels:
    """Soft labels of all pairs with a grade, sorted by topic and docno (bytes); `grades` name the shares."""

    grades: tuple[int, ...]
    labels: tuple[SoftLabel, ...]


def soft_labels(judgments: Iterable[Judgment], *, scale: Scale | None = None) -> SoftLabels:
    """The soft label of every pair; unsure and cannot judge never count.

    The shares are of every grade of the scale, or without one of every grade that was given.
    Raises as `settle.consensus` for grades outside the scale and pairs that an assessor judged twice.
    """
    graded = {
        pair: list(grades.values()) for pair, grades in grades_by_pair(judgments, scale).items() if grades
    }
    values = (
        tuple(grade.value for grade in scale.grades)
        if scale
        else tuple(sorted({grade for grades in graded.values() for grade in grades}))
    )
    labels = []
    for pair in sorted_pairs(graded):
        grades = graded[pair]
        counts, n = Counter(grades), len(grades)
        labels.append(SoftLabel(*pair, sum(grades) / n, n, tuple(counts[value] / n for value in values)))
    return SoftLabels(values, tuple(labels))


def soft_export(found: SoftLabels) -> Export:
    """Every soft label: the mean, the number of grades, and the share of each grade."""
    shares = tuple(f"share_{grade}" for grade in found.grades)
    rows = [(label.topic, label.docno, label.mean, label.n, *label.shares) for label in found.labels]
    return table_export(("topic", "docno", "mean", "n", *shares), rows)


MEAN = Rule(
    "mean",
    "Mean",
    "kept unrounded as a soft label with the share of every grade: an export of its own, no qrels",
    "soft labels (Uma et al. 2021)",
    soft=True,
)
