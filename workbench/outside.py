"""What comes from outside, from files and answers that others have written: JSON, and references in HTML."""

from __future__ import annotations

import html
import json
import re
from typing import Any


def parsed_json(content: bytes | str) -> Any:
    """The value of a JSON text; raises ValueError for what is none: NaN, nesting without end, other bytes."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a number")

    try:
        return json.loads(content, parse_constant=refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


# Python refuses to read a number of thousands of digits, and no character has a number of a hundred.
_NO_CHARACTER = re.compile(r"&#[0-9]{100,}+;?")


def unescaped_html(text: str) -> str:
    """A text with its references decoded as in HTML; a number too long for any character becomes U+FFFD.

    >>> unescaped_html("AT&amp;T &#" + "9" * 5000 + ";")
    'AT&T \ufffd'
    """
    return html.unescape(_NO_CHARACTER.sub("\ufffd", text))
