"""Texts that are templates: documents in Markdown and files for servers, each beside what fills it in."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined

from workbench.figures import counted, percent, share_of

_MARKS = re.compile(r"([\\`*_\[\]<>|#~&])")
_BLANK_LINES = re.compile(r"\n{3,}")


def filled_in(package: str, name: str, **values: Any) -> str:
    """The template of this name, a file of a package, with these values; ends with one line feed.

    Several blank lines become one, so that a template may leave blocks out. Its filters: `line` joins what is
    broken into lines, `escaped` does so with texts of people, and `number` sets thousands apart.
    """
    environment = Environment(
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # no HTML; texts of people are `escaped`, values of files checked
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"escaped": escaped, "line": one_line, "number": "{:,}".format}
    template = (resources.files(package) / name).read_text("utf-8")
    words = {"counted": counted, "percent": percent, "share_of": share_of}
    text = environment.from_string(template).render(words, **values)
    return _BLANK_LINES.sub("\n\n", text).strip("\n") + "\n"


def escaped(text: str) -> str:
    """A text of people in one line, in which nothing is Markdown.

    >>> escaped("a_b |\\nc")
    'a\\\\_b \\\\| c'
    """
    return _MARKS.sub(r"\\\1", one_line(text))


def one_line(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())
