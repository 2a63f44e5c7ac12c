"""Documents and guidelines as HTML that is safe to show: nothing runs, nothing loads."""

from __future__ import annotations

import re

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from workbench.web.plain_text import blocks


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


INLINE = _names("b i em strong u s sub sup small code kbd q cite var")
BLOCKS = _names("p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre")
TABLES = _names("table caption thead tbody tfoot tr th td")
ALLOWED = INLINE | BLOCKS | TABLES | {"br", "hr"}
# Dropped with what is in them; of every other element only the tags are dropped.
DROPPED = _names("script style title template noscript iframe object svg math textarea select")

_DIVISIONS = "section|article|main|header|footer|aside|nav|center|address|figure|figcaption|form|fieldset"
_DIVISION = re.compile(rf"<(/?)(?:{_DIVISIONS})\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\b[^<>]*>", re.IGNORECASE)
# A closing tag, or one that stands alone, of an element of prose: `a <b c` and `vector<a>` are no HTML.
_IS_HTML = re.compile(
    rf"</(?:{'|'.join(sorted(ALLOWED | DROPPED | {'a', 'body', 'font', 'span', 'html'}))})\s*>"
    rf"|<(?:p|br|hr|li|tr|td|html|body|!doctype)\b[^<>]*>|<(?:{_DIVISIONS}|img|iframe|meta|link)\s[^<>]*>",
    re.IGNORECASE,
)
_BREAKS = re.compile(r"<(?:p|br|div|li|tr|pre|dd)\b", re.IGNORECASE)
_HEADING = re.compile(r"<(/?)h([1-6])>")
# Elements that the next of their kind closes, and those without an end: they do not nest by being repeated.
_FLAT = _names("p li tr td th dt dd thead tbody option br hr img input meta link")
DEEPEST, MOST_WORK = 300, 3_000_000
# Cleaning takes time with the square of the ampersands as well: a fifth of a second for so many.
MOST_AMPERSANDS = 100_000

_OVERRIDES = re.compile("[\u202d\u202e]")
_DIRECTIONS = re.compile("[\u202a-\u202c\u2066-\u2069]")
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff]")

GUIDELINE_TAGS = ALLOWED | {"a"}
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def render_document(text: str) -> Markup:
    """The text of a document, plain or HTML, as the judging page shows it."""
    text = _UNSHOWABLE.sub("\ufffd", text).replace("\f", "\n\n").replace("\r\n", "\n").replace("\r", "\n")
    if not _IS_HTML.search(text):
        return _plain(text)
    if text.count("&") > MOST_AMPERSANDS or _too_deep(text):
        return _plain(_TAG.sub(" ", text))
    return _html(text)


def render_guidelines(markdown: str) -> Markup:
    """Guidelines in Markdown; HTML in them is shown as it was typed, links lead outside in a new tab."""
    rendered = _MARKDOWN.render(_UNSHOWABLE.sub("\ufffd", markdown))
    clean = nh3.clean(
        rendered,
        tags=GUIDELINE_TAGS,
        clean_content_tags=DROPPED,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        url_relative="deny",
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return Markup(_shown(clean))  # noqa: S704  # cleaned


def _plain(text: str) -> Markup:
    parts = []
    for block in blocks(_DIRECTIONS.sub("", text)):
        kind = Markup("<pre>{}</pre>") if block.aligned else Markup("<p>{}</p>")
        parts.append(kind.format(block.text))
    return Markup(_overrides_shown("\n".join(parts)))  # noqa: S704  # each part was escaped


def _html(text: str) -> Markup:
    kept_breaks = "\n" in text and not _BREAKS.search(text)
    clean = nh3.clean(
        _DIVISION.sub(r"<\1div>", text),
        tags=ALLOWED,
        clean_content_tags=DROPPED,
        attributes={},
        link_rel=None,
    )
    if kept_breaks:
        clean = f'<div class="lines">{clean}</div>'
    return Markup(_shown(clean))  # noqa: S704  # cleaned


def _shown(clean: str) -> str:
    # The page has headings of its own above these; wide tables scroll in a box of their own.
    lowered = _HEADING.sub(lambda match: f"<{match[1]}h{min(int(match[2]) + 2, 6)}>", clean)
    boxed = lowered.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    return _overrides_shown(_DIRECTIONS.sub("", boxed))


def _overrides_shown(safe: str) -> str:
    # Text that reads backwards can hide what it says; where somebody forced that, it is shown.
    return _OVERRIDES.sub(lambda match: f'<span class="control">U+{ord(match[0]):04X}</span>', safe)


def _too_deep(text: str) -> bool:
    # Cleaning takes time with the square of the depth, and browsers stop at 512.
    depth = deepest = tags = 0
    for match in _TAG.finditer(text):
        tags += 1
        if match[2].lower() in _FLAT:
            continue
        depth = max(depth - 1, 0) if match[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest > DEEPEST or deepest * tags > MOST_WORK


def plain_words(text: str) -> str:
    """One line of user text for titles and lists: no controls, no forced direction, nothing escaped yet."""
    return _DIRECTIONS.sub("", _OVERRIDES.sub("", _UNSHOWABLE.sub("\ufffd", " ".join(text.split()))))


def paragraphs(text: str) -> Markup:
    """A topic's description or narrative: escaped paragraphs."""
    return _plain(_UNSHOWABLE.sub("\ufffd", text)) if text.strip() else escape("")
