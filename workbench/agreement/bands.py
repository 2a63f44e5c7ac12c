"""The verdict on a coefficient: Landis and Koch's words, the one vocabulary of pages, files and commands."""

from __future__ import annotations

from enum import StrEnum


class Band(StrEnum):
    """Landis and Koch's words for an agreement beyond chance, and one where data are too few."""

    POOR = "poor"
    SLIGHT = "slight"
    FAIR = "fair"
    MODERATE = "moderate"
    SUBSTANTIAL = "substantial"
    ALMOST_PERFECT = "almost perfect"
    UNCERTAIN = "too uncertain"

    @property
    def kind(self) -> str:
        """How a page colours it: `good`, `fair` or `poor`; nothing for too uncertain."""
        return _KINDS[self]

    @property
    def low(self) -> bool:
        """Whether organisers are told of it: less than moderate, which is usual for relevance."""
        return self in (Band.POOR, Band.SLIGHT, Band.FAIR)


_KINDS = {
    Band.POOR: "poor",
    Band.SLIGHT: "poor",
    Band.FAIR: "fair",
    Band.MODERATE: "fair",
    Band.SUBSTANTIAL: "good",
    Band.ALMOST_PERFECT: "good",
    Band.UNCERTAIN: "",
}
_UP_TO = ((0.2, Band.SLIGHT), (0.4, Band.FAIR), (0.6, Band.MODERATE), (0.8, Band.SUBSTANTIAL))
BANDS = (
    "The word is Landis and Koch's (1977) for the lower bound of the interval: up to 0.2 slight, 0.4 fair, "
    "0.6 moderate, 0.8 substantial, above almost perfect. It is a convention, not a test."
)
"""What pages and commands say under a table of verdicts."""


def verdict(value: float | None, *, enough: bool) -> Band | None:
    """The word for a coefficient, where there is `enough` to have an interval; None where it is undefined.

    Below 0 poor, to 0.2 slight, to 0.4 fair, to 0.6 moderate, to 0.8 substantial, above almost perfect. The
    lines are arbitrary, as the authors say. Source: Landis and Koch 1977.

    >>> verdict(0.776, enough=True).value, verdict(0.776, enough=False).value
    ('substantial', 'too uncertain')
    """
    if value is None:
        return None
    if not enough:
        return Band.UNCERTAIN
    if value < 0:
        return Band.POOR
    return next((word for bound, word in _UP_TO if value <= bound), Band.ALMOST_PERFECT)
