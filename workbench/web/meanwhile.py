"""Forms that change what others may change meanwhile: each carries what it was made from.

A field that was not touched stays as it is now, whoever changed it; one that two people changed is refused
once, with both values shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from flask import g

from workbench.errors import Finding, InvalidInput
from workbench.web.forms import form_text
from workbench.web.requests import Values

FIELD = "was"
LONGEST_SHOWN = 120
"""Characters of another's value within a message."""


class ChangedMeanwhile(InvalidInput):
    """Somebody else changed fields of a form after it was opened; `now` has what they are, by name."""

    def __init__(self, now: Mapping[str, Any]) -> None:
        remedy = "compare the two, then save again"
        super().__init__(
            [
                Finding(
                    name.capitalize().replace("_", " "),
                    None,
                    name,
                    f"somebody else changed this{_to(value)} after you opened the page",
                    remedy,
                )
                for name, value in now.items()
            ]
        )


def _to(value: object) -> str:
    shown = in_a_line(value)
    return f" to {shown}" if shown else ""


def in_a_line(value: object) -> str | None:
    """A value as a message names it; None where it is too long for one."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "nothing"
    if not isinstance(value, int | str) or len(str(value)) > LONGEST_SHOWN or "\n" in str(value):
        return None
    return f"“{value}”" if isinstance(value, str) else str(value)


def mark(value: object) -> str:
    """A short hash of a value that JSON can have."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def marks(now: Mapping[str, Any]) -> str:
    """What the hidden field `was` of a form says of the values that it was made from.

    The page that refuses a form shows it as it was typed, and so says of it what the form had said; only of
    what two people changed it shows the other value too.
    """
    was, both = _was(), theirs()
    return " ".join(
        f"{name}={mark(value) if name in both else was.get(name, mark(value))}" for name, value in now.items()
    )


def theirs() -> Mapping[str, Any]:
    """What somebody else has saved of the fields that the refused form would change too, by name."""
    found: Mapping[str, Any] = g.get(FIELD, {})
    return found


def merged(typed: Mapping[str, Any], now: Mapping[str, Any]) -> Values:
    """The values to save: what was typed where a field was touched, and what there is now elsewhere.

    To be called in the transaction that saves. A form without the field `was` is taken as it is. Raises
    ChangedMeanwhile.
    """
    was = _was()
    untouched = {name for name, value in typed.items() if mark(value) == was.get(name)}
    both = {
        name: now[name]
        for name in typed.keys() - untouched
        if name in was and mark(now[name]) not in (was[name], mark(typed[name]))
    }
    if both:
        setattr(g, FIELD, both)
        raise ChangedMeanwhile(both)
    return {name: now[name] if name in untouched else value for name, value in typed.items()}


def _was() -> dict[str, str]:
    """What the form that was sent says that it was made from."""
    return dict(part.split("=", 1) for part in form_text(FIELD).split() if "=" in part)
