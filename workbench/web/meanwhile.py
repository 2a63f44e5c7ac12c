"""Forms that change what others may change meanwhile: each carries what it was made from.

A field that was not touched stays as it is now, whoever changed it; one that two people changed is refused
once, with both values shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from flask import request

from workbench.errors import Finding, InvalidInput

FIELD = "was"


class ChangedMeanwhile(InvalidInput):
    """Somebody else changed fields of a form after it was opened; `now` is what they are, by name."""

    def __init__(self, now: Mapping[str, Any]) -> None:
        self.now = now
        message = "somebody else changed this after you opened the page"
        remedy = "compare the two, then save again"
        super().__init__(
            [Finding(name.capitalize().replace("_", " "), None, name, message, remedy) for name in now]
        )


def mark(value: object) -> str:
    """A short hash of a value that JSON can have."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def marks(now: Mapping[str, Any]) -> str:
    """What the hidden field `was` of a form says of the values that it shows."""
    return " ".join(f"{name}={mark(value)}" for name, value in now.items())


def merged(typed: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The values to save: what was typed where a field was touched, and what there is now elsewhere.

    To be called in the transaction that saves. A form without the field `was` is taken as it is. Raises
    ChangedMeanwhile.
    """
    was = dict(part.split("=", 1) for part in request.form.get(FIELD, "").split() if "=" in part)
    untouched = {name for name, value in typed.items() if mark(value) == was.get(name)}
    both = {
        name: now[name]
        for name in typed.keys() - untouched
        if name in was and mark(now[name]) not in (was[name], mark(typed[name]))
    }
    if both:
        raise ChangedMeanwhile(both)
    return {name: now[name] if name in untouched else value for name, value in typed.items()}
