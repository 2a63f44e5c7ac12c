"""Documents and guidelines as HTML that is safe to show: nothing runs, nothing loads."""

from __future__ import annotations

import html
import re

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from workbench.web.chunking import LONG, PART, PIECE, in_parts, longest_text, pieces
from workbench.web.external_links import addresses_shown, images_as_links
from workbench.web.plain_text import Block, blocks


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


INLINE = _names("b i em strong u s sub sup small code kbd q cite var")
BLOCKS = _names("p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre")
TABLES = _names("table caption thead tbody tfoot tr th td")
ALLOWED = INLINE | BLOCKS | TABLES | {"br", "hr", "a"}
# Each finds its own direction by its first letter, whatever stands around it.
DIRECTED = (BLOCKS | TABLES) - _names("caption thead tbody tfoot tr")
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
_HEADING = re.compile(r"<(/?)h([1-6])([ >])")
_TABLE = re.compile(r"<table( [^<>]*)?>")
# Elements that the next of their kind closes, and those without an end: they do not nest by being repeated.
_FLAT = _names("p li tr td th dt dd thead tbody option br hr img input meta link")
DEEPEST, MOST_WORK = 300, 3_000_000
# Cleaning takes time with the square of these in one text, a fifth of a second for 100,000: instead of many,
# stand-ins are cleaned, characters that no text can hold.
_SLOW = re.compile("[&\u00a0]")
MOST_SLOW = 5_000
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31});?")
_STAND_INS = {"<": "\ufdd0", ">": "\ufdd1", "&": "\ufdd2", "\u00a0": "\ufdd3", '"': "\ufdd4", "'": "\ufdd5"}
_STAND_FOR = {stand_in: html.escape(character) for character, stand_in in _STAND_INS.items()}
_ANY_STAND_IN = re.compile("[\ufdd0-\ufdd5]")
LONGEST_TEXT = 200_000

_OVERRIDES = re.compile("[\u202d\u202e]")
_DIRECTIONS = re.compile("[\u202a-\u202c\u2066-\u2069]")
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef]")

GUIDELINE_TAGS = ALLOWED | {"a"}
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def render_document(text: str) -> Markup:
    """The text of a document, plain or HTML, as the judging page shows it: one `<div class="text">`.

    Links lead outside in a tab of their own and say where; images are links and never loaded. A long document
    is divided into parts that are laid out when they come near.
    """
    text = _UNSHOWABLE.sub("\ufffd", text).replace("\f", "\n\n").replace("\r\n", "\n").replace("\r", "\n")
    shown = None
    if _IS_HTML.search(text) and not _too_deep(text):
        shown = _html(text)
        if len(shown) >= LONG and longest_text(shown) > LONGEST_TEXT:
            shown = None
    if shown is None:
        shown = _document(_TAG.sub(" ", text) if _IS_HTML.search(text) else text)
    return Markup('<div class="text">{}</div>').format(Markup(shown))  # noqa: S704  # cleaned or escaped


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


def _document(text: str) -> str:
    """A plain text's paragraphs, each with a direction of its own."""
    written: list[str] = []
    sizes: list[int] = []
    for block in blocks(_DIRECTIONS.sub("", text)):
        cut = _cut(block)
        for index, piece in enumerate(cut):
            tag = "pre" if block.aligned else "p"
            goes_on = ' class="goes-on"' if index + 1 < len(cut) else ""
            written.append(f'<{tag}{goes_on} dir="auto">{html.escape(piece, quote=False)}</{tag}>')
            sizes.append(len(piece))
    if sum(sizes) < LONG:
        return _overrides_shown("\n".join(written))
    parts: list[list[str]] = [[]]
    size = 0
    for one, length in zip(written, sizes, strict=True):
        if size > PART:
            parts.append([])
            size = 0
        parts[-1].append(one)
        size += length
    return _overrides_shown("".join(f'<div class="part">{chr(10).join(part)}</div>' for part in parts))


def _cut(block: Block) -> list[str]:
    return list(pieces(block.text)) if len(block.text) > 2 * PIECE else [block.text]


def _html(text: str) -> str:
    kept_breaks = "\n" in text and not _BREAKS.search(text)
    slow = len(_SLOW.findall(text)) > MOST_SLOW
    clean = nh3.clean(
        images_as_links(_DIVISION.sub(r"<\1div>", _with_stand_ins(text) if slow else text)),
        tags=ALLOWED,
        clean_content_tags=DROPPED,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}} | {name: {"dir": "auto"} for name in DIRECTED},
    )
    if slow:
        clean = _ANY_STAND_IN.sub(lambda match: _STAND_FOR[match[0]], clean)
    if kept_breaks:
        clean = f'<div class="lines">{clean}</div>'
    return in_parts(_shown(addresses_shown(clean)))


def _with_stand_ins(text: str) -> str:
    # Character references are read here, so that a scheme or a forced direction cannot hide in one.
    def read(match: re.Match[str]) -> str:
        return "".join(_STAND_INS.get(one, one) for one in html.unescape(match[0]))

    return _REFERENCE.sub(read, text).replace("&", _STAND_INS["&"]).replace("\u00a0", _STAND_INS["\u00a0"])


def _shown(clean: str) -> str:
    # The page has headings of its own above these; wide tables scroll in a box of their own.
    lowered = _HEADING.sub(lambda match: f"<{match[1]}h{min(int(match[2]) + 2, 6)}{match[3]}", clean)
    boxed = _TABLE.sub(r'<div class="scroll"><table\1>', lowered).replace("</table>", "</table></div>")
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
