"""Character references of HTML, such as `&amp;` and `&#233;`, as the characters that they stand for."""

from __future__ import annotations

import html
import re

# Python refuses to read a number of thousands of digits, and no character has a number of a hundred.
_NO_CHARACTER = re.compile(r"&#[0-9]{100,}+;?")


def unescaped_html(text: str) -> str:
    """A text with its references decoded as in HTML; a number too long for any character becomes U+FFFD.

    >>> unescaped_html("AT&amp;T &#" + "9" * 5000 + ";")
    'AT&T \ufffd'
    """
    return html.unescape(_NO_CHARACTER.sub("\ufffd", text))
