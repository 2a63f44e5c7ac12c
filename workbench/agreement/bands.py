"""The bands in which the textbook of the field reads a kappa; the number is shown beside them, always."""

from __future__ import annotations

from enum import StrEnum


class Band(StrEnum):
    """How an agreement is commonly judged."""

    GOOD = "good"
    FAIR = "fair"
    DUBIOUS = "dubious"


def band(value: float) -> Band:
    """Above 0.8 good, from 0.67 to 0.8 (both included) fair, below 0.67 dubious.

    Source: Manning, Raghavan and Schuetze 2008, section 8.5.

    >>> band(0.776).value
    'fair'
    """
    if value > 0.8:
        return Band.GOOD
    return Band.FAIR if value >= 0.67 else Band.DUBIOUS
