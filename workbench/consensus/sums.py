"""Sums and means of the grades of a pair: a longer scale with a threshold of its own, and soft labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from workbench.consensus.votes import LEFT, Rule, RuleParameter, TableOutcome, VoteTable, grades_by_pair
from workbench.frozen import frozen_dataclass
from workbench.records import Judgment, Scale, sorted_pairs
from workbench.tables import Export, table_export

FEWER_THAN_OTHERS = "fewer assessors graded it than other pairs"


LINE = RuleParameter(
    "line",
    "Relevant from a sum of",
    "the lowest sum that counts as relevant; the scale's own threshold if not given",
    number=True,
    optional=True,
)
BINARY = RuleParameter(
    "binary",
    "Grades of the sum",
    "whether qrels have the sums themselves or only relevant and not relevant",
    choices=(("no", "the sum itself"), ("yes", "1 from the threshold on, 0 below")),
    default="no",
)
FEWER = RuleParameter(
    "fewer",
    "Pairs that fewer assessors graded",
    "what to do with pairs that fewer assessors graded than others, whose sums cannot be as high",
    choices=(("leave", "no line"), ("sum", "the sum of the grades there are")),
    default="leave",
)


def sum_threshold(relevant_from: int, values: Mapping[str, str]) -> int:
    """The lowest relevant grade that the rule gives, from that of the assessors and the parameters."""
    if values.get(BINARY.name) == "yes":
        return 1
    return int(values.get(LINE.name) or relevant_from)


def total(
    table: VoteTable, *, line: str | None = None, binary: str = "no", fewer: str = "leave"
) -> TableOutcome:
    """The sum of all assessors' grades, as in the Cystic Fibrosis collection (Shaw et al. 1991).

    Four assessors of 0 to 2 make 0 to 8. A sum of fewer grades than other pairs have is left, or with `fewer`
    summed as it is. With `binary` the grade is 1 from the threshold on and 0 below it. The confidence is the
    share of the assessors whose own grade is on the same side of the scale's threshold as the sum is of its
    own.
    """
    at = int(line) if line is not None else table.relevant_from
    sums = table.counts @ table.values
    relevant = sums >= at
    above = table.counts[:, table.values >= table.relevant_from].sum(axis=1)
    sure = np.where(relevant, above, table.n - above) / np.maximum(table.n, 1)
    left = (table.n < table.most) & (fewer == "leave")
    grades = relevant.astype(np.int64) if binary == "yes" else sums
    return TableOutcome(grades, sure, np.where(left, 0, LEFT), (FEWER_THAN_OTHERS,))


SUM = Rule(
    "sum",
    "Sum",
    "the grades of all assessors added up, with a relevance threshold set on the sum",
    "the Cystic Fibrosis collection (Shaw, Wood, Wood and Tibbo 1991)",
    parameters=(LINE, BINARY, FEWER),
    threshold=sum_threshold,
    settle_table=total,
)


@frozen_dataclass
class SoftLabel:
    """The mean of the `n` grades of a pair, and the share of each grade of the labels' scale."""

    topic: str
    docno: str
    mean: float
    n: int
    shares: tuple[float, ...]


@frozen_dataclass
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
    "the mean grade, unrounded, as a soft label with the share of every grade; a separate export, not qrels",
    "soft labels (Uma et al. 2021)",
    soft=True,
)
