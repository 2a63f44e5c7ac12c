"""Bands of kappa: how the field and Landis and Koch read a value; the number is always shown beside them."""

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


class LandisKoch(StrEnum):
    """Landis and Koch's words for the strength of an agreement beyond chance."""

    POOR = "poor"
    SLIGHT = "slight"
    FAIR = "fair"
    MODERATE = "moderate"
    SUBSTANTIAL = "substantial"
    ALMOST_PERFECT = "almost perfect"


_UP_TO = (
    (0.2, LandisKoch.SLIGHT),
    (0.4, LandisKoch.FAIR),
    (0.6, LandisKoch.MODERATE),
    (0.8, LandisKoch.SUBSTANTIAL),
)


def landis_koch(value: float) -> LandisKoch:
    """Below 0 poor, to 0.2 slight, to 0.4 fair, to 0.6 moderate, to 0.8 substantial, above almost perfect.

    The lines are arbitrary, as the authors say. Source: Landis and Koch 1977.

    >>> landis_koch(0.776).value
    'substantial'
    """
    if value < 0:
        return LandisKoch.POOR
    return next((word for bound, word in _UP_TO if value <= bound), LandisKoch.ALMOST_PERFECT)
