"""The words of a text as the demo's small retrieval methods see them."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"<[^>]+>")
_WORD = re.compile(r"[^\W\d_]+")

_FUNCTION_WORDS = """
a about all an and any are as at be been but by can do does for from has have how in into is it its may more
no not of off on one only or out over so some somebody such than that the their them then there these they
this those to too up was were what when where which who with would you your
"""
_WORDS_OF_NARRATIVES = "document related relevant most"

STOPWORDS = frozenset(f"{_FUNCTION_WORDS} {_WORDS_OF_NARRATIVES}".split())


def terms(text: str) -> list[str]:
    """The words of `text` in order: casefolded, without markup, digits, stopwords or the plural's s."""
    words = _WORD.findall(_MARKUP.sub(" ", text).casefold())
    return [_singular(word) for word in words if len(word) > 1 and word not in STOPWORDS]


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
