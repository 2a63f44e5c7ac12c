"""Labels as tables, for CSV and JSON: one row a pair."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.consensus.settle import Consensus
from workbench.consensus.soft import SoftLabels


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and their rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def records(self) -> list[dict[str, object]]:
        """The rows as objects by the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def label_table(found: Consensus) -> Table:
    """Every settled pair with its grade, confidence, number of grades and who settled it.

    A pair that the rule leaves has a row too, without a grade and with the reason.
    """
    settled = [
        (
            label.topic,
            label.docno,
            label.grade,
            label.confidence,
            label.n,
            "adjudicator" if label.adjudicated else "rule",
            "",
        )
        for label in found.labels
    ]
    left = [(pair.topic, pair.docno, None, None, None, "", pair.reason) for pair in found.unsettled]
    return Table(("topic", "docno", "grade", "confidence", "n", "settled_by", "unsettled"), (*settled, *left))


def soft_table(found: SoftLabels) -> Table:
    """Every soft label: the mean, how many grades, and the share of each grade."""
    shares = tuple(f"share_{grade}" for grade in found.grades)
    return Table(
        ("topic", "docno", "mean", "n", *shares),
        tuple((label.topic, label.docno, label.mean, label.n, *label.shares) for label in found.labels),
    )
