"""Figures as people read them, on pages and in reports: counts with their nouns, shares in percent."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun, whose plural ends in s unless `many` has it.

    >>> counted(1, "topic"), counted(1239, "topic"), counted(2, "query", "queries")
    ('1 topic', '1,239 topics', '2 queries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


_NO_VALUE = "–"
# Sums of probabilities miss 0 and 1 by rounding; no share of counts comes so near without being there.
_ROUNDING = 1e-12


def percent(share: float, places: int = 0) -> str:
    """A share, 0 to 1, as `12 %`; `100 %` is all of it and `0 %` nothing, `>99 %` and `<1 %` are nearly so.

    What is below 0 or above 1 is a change, not a part of a whole: it is rounded like any number.
    """
    rounded = round(100 * share, places) + 0.0
    step = 10.0**-places
    if rounded == 0 and share > _ROUNDING:
        return f"<{step:.{places}f} %"
    if rounded == 100 and share < 1 - _ROUNDING:
        return f">{100 - step:.{places}f} %"
    return f"{rounded:.{places}f} %".replace("-", "−")


def share_of(part: int, whole: int) -> str:
    """A part of a whole in whole percent, or a dash if there is no whole."""
    return percent(part / whole) if whole else _NO_VALUE


def between(low: float | None, high: float | None, places: int = 0) -> str:
    """The two ends of an interval as `80 % to 95 %`, or a dash if there is none."""
    return _NO_VALUE if low is None or high is None else f"{percent(low, places)} to {percent(high, places)}"
