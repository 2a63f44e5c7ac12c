"""Equal values that stand in memory once, however many records have them."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T", str, bytes, tuple[str, int])


class SharedValues:
    """The first of equal values for all of them: a million answers have few topics and documents."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def __call__(self, value: T) -> T:
        """A value equal to this one."""
        found: T = self._known.setdefault(value, value)
        return found

    def number(self, value: int | None) -> int | None:
        """The same for a whole number that may be missing."""
        return None if value is None else self._known.setdefault((value,), value)

    def text(self, value: str | None) -> str | None:
        """The same for a text that may be missing."""
        return None if value is None else self(value)
