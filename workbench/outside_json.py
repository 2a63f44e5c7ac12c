"""JSON that comes from outside: files and answers that others have written."""

from __future__ import annotations

import json
from typing import Any


def parsed_json(content: bytes | str) -> Any:
    """The value of a JSON text; raises ValueError for what is none: NaN, nesting without end, other bytes."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no number")

    try:
        return json.loads(content, parse_constant=refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
