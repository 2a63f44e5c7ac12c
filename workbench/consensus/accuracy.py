"""How right a rule is, where somebody knows better: its grades against expert labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.consensus.outcomes import Pair
from workbench.consensus.settle import Consensus


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A rule against expert labels: of `known` labelled pairs that were judged it settled `n`.

    `binary` is the share of these on the right side of the line of relevance, `exact` that with the very
    grade; None where the rule settled none of them, or where its grades are not the experts' scale (`exact`).
    """

    known: int
    n: int
    binary: float | None
    exact: float | None


def accuracy(
    found: Consensus, gold: Mapping[Pair, int], *, relevant_from: int = 1, same_scale: bool = True
) -> Accuracy:
    """Compare what a rule gave with expert labels of the same pairs; `relevant_from` is the experts' line.

    Negative expert labels are none. Pairs that the rule left are counted in `known`, not in `n`.
    """
    labels = {(label.topic, label.docno): label for label in found.labels}
    judged = labels.keys() | {(pair.topic, pair.docno) for pair in found.unsettled}
    known = [pair for pair, grade in gold.items() if grade >= 0 and pair in judged]
    both = [(labels[pair], gold[pair]) for pair in known if pair in labels]
    n = len(both)
    if not n:
        return Accuracy(len(known), 0, None, None)
    right = sum((label.grade >= found.relevant_from) == (grade >= relevant_from) for label, grade in both)
    return Accuracy(
        known=len(known),
        n=n,
        binary=right / n,
        exact=sum(label.grade == grade for label, grade in both) / n if same_scale else None,
    )
