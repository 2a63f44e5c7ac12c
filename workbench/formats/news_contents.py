"""An article of the Washington Post as TREC's news track has it: an array `contents` of typed parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

# Every other part is a paragraph.
_ABOVE = dict.fromkeys(("kicker", "deck"), ("<p><b>", "</b></p>"))


def news_html(contents: Iterable[object]) -> str:
    """The parts in their order as HTML, which is cleaned when it is shown; pictures are their captions.

    The title has a key of its own in the record, and the date is a number there: both are left out. Parts
    that are null or of an unknown type and without text are left out as well.
    """
    return "\n".join(filter(None, (_part(part) for part in contents if isinstance(part, Mapping)))).strip()


def _part(part: Mapping[str, Any]) -> str:
    kind, content = _word(part, "type"), part.get("content")
    if kind in ("title", "date"):
        return ""
    if kind in ("image", "gallery", "video", "tweet") or "imageURL" in part:
        caption = (
            _word(part, "fullcaption")
            or _word(part, "blurb")
            or (content if isinstance(content, str) else "")
        )
        return f'<p><img alt="{escape(caption or kind)}"></p>'
    if isinstance(content, list):
        return "<ul>" + "".join(f"<li>{one}</li>" for one in content if isinstance(one, str)) + "</ul>"
    if not isinstance(content, str) or not content.strip():
        return ""
    written = content if _word(part, "mime") == "text/html" else escape(content, quote=False)
    if _word(part, "subtype") == "subhead":
        return f"<h2>{written}</h2>"
    before, after = _ABOVE.get(kind, ("<p>", "</p>"))
    return f"{before}{written}{after}"


def _word(part: Mapping[str, Any], key: str) -> str:
    value = part.get(key)
    return value if isinstance(value, str) else ""
