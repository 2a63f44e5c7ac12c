"""Observed agreement of any number of assessors."""

from __future__ import annotations

from workbench.agreement.several.tally import Floats, Tally
from workbench.agreement.several.weights import Weights


def observed_disagreement(tally: Tally) -> Floats:
    """The mean, over pairs with two grades or more, of the share of ordered assessors who disagree.

    Source: Fleiss 1971; with missing grades and weights Gwet 2014.
    """
    return tally.disagreement / tally.doubly


def observed_parts(tally: Tally, _weights: Weights) -> tuple[Floats, None]:
    """Observed disagreement; chance is not taken off."""
    return observed_disagreement(tally), None
