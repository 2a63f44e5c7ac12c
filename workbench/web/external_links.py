"""What a document has outside: images become links, links say where they lead; nothing is ever loaded."""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import urlsplit

_IMAGE = re.compile(r"<im(?:g|age)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""", re.IGNORECASE)
_LINK = re.compile(r'<a href="([^"]*)"([^<>]*)>')
LONGEST_ADDRESS = 60
LONGEST_NAME = 200


def images_as_links(html: str) -> str:
    """Every image as a link to it with its own words, one from nowhere as its words; before cleaning."""
    return _IMAGE.sub(_as_link, html)


def addresses_shown(clean: str) -> str:
    """Cleaned HTML whose links carry in `data-to` where they lead, for the stylesheet to show."""
    return _LINK.sub(_with_address, clean)


def shown_address(address: str) -> str:
    """Where a link leads, as short as can be told: host and path; empty for what leads nowhere honest."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return ""
    # A name before the host is there to be taken for it.
    if not host or "@" in parts.netloc:
        return ""
    rest = parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "")
    shown = f"{host}{f':{parts.port}' if _has_port(parts.netloc) else ''}{rest}"
    return shown if len(shown) <= LONGEST_ADDRESS else shown[: LONGEST_ADDRESS - 1] + "…"


def _has_port(netloc: str) -> bool:
    return netloc.rpartition(":")[2].isdigit()


def _as_link(match: re.Match[str]) -> str:
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(match[1]):
        found.setdefault(name.lower(), unescape("".join(values)))
    words = " ".join(found.get("alt", "").split())[:LONGEST_NAME]
    shown = escape(f"Image: {words}" if words else "Image")
    source = found.get("src", "").strip()
    if not source.lower().startswith(("http://", "https://")):
        return f"[{shown}]"
    return f'<a href="{escape(source)}">[{shown}]</a>'


def _with_address(match: re.Match[str]) -> str:
    shown = shown_address(unescape(match[1]))
    if not shown:
        return "<a>"
    return f'<a href="{match[1]}" data-to="{escape(shown)}"{match[2]}>'
