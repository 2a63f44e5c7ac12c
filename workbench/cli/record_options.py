"""Options of a command that belong together, received as one record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Command], Command]


def record_options(name: str, record: type[Any], options: Sequence[Option[Any]]) -> Option[Any]:
    """Give a command these options; it receives the dataclass that their values make as `name`.

    Each field of the dataclass is the parameter of one option; the help lists the options in this order.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_record(*args: Any, **given: Any) -> Any:
            values = {field.name: given.pop(field.name) for field in fields(record)}
            return command(*args, **given, **{name: record(**values)})

        decorated: Any = with_record
        for option in reversed(options):
            decorated = option(decorated)
        return decorated  # type: ignore[no-any-return]  # click calls it alone

    return decorate
