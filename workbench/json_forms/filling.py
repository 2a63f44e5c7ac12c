"""From a record to its JSON: a form takes what the record has under the names of its fields."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar, cast

Form = TypeVar("Form")


def filled(form: Callable[..., Form], record: object, **otherwise: Any) -> Form:
    """A form (a TypedDict) of a record; `otherwise` has the fields that are called or said otherwise there.

    Moments become ISO 8601. Raises AttributeError for a field that neither has.
    """
    names = form.__annotations__
    values = {name: otherwise[name] if name in otherwise else getattr(record, name) for name in names}
    return cast(Form, {name: _plain(value) for name, value in values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value
