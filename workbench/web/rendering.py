"""Documents and guidelines as HTML that is safe to show: no script runs, nothing is loaded from outside."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from html import escape, unescape
from types import MappingProxyType
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from workbench.searching.fragments import FragmentPiece
from workbench.web.chunking import (
    INLINE,
    LONG,
    PART,
    PIECE,
    in_parts,
    line_pieces,
    longest_text,
    names,
    pieces,
)
from workbench.web.plain_text import Block, BlockKind, blocks
from workbench.web.stand_ins import LAYOUT, ImageAddress, PageImages, marks_shown, with_stand_ins

_LINK = re.compile(r'<a href="([^"]*)"([^<>]*)>')
LONGEST_ADDRESS = 60
NO_IMAGES: Mapping[str, ImageAddress] = MappingProxyType({})


def shown_address(address: str) -> str:
    """The target of a link in short, host and path; empty for an invalid or deceptive address."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return ""
    # A user name before the host could be mistaken for the host.
    if not host or "@" in parts.netloc:
        return ""
    rest = parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "")
    shown = f"{host}{f':{parts.port}' if parts.netloc.rpartition(':')[2].isdigit() else ''}{rest}"
    return shown if len(shown) <= LONGEST_ADDRESS else shown[: LONGEST_ADDRESS - 1] + "…"


def _with_address(match: re.Match[str]) -> str:
    # The stylesheet shows what is in `data-to`.
    shown = shown_address(unescape(match[1]))
    if not shown:
        return "<a>"
    return f'<a href="{match[1]}" data-to="{escape(shown)}"{match[2]}>'


BLOCKS = names("p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre")
TABLES = names("table caption thead tbody tfoot tr th td")
# MathML Core without what loads, links or runs: nothing here has an attribute but those below.
MATH = names(
    "math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose "
    "msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd"
)
ALLOWED = INLINE | BLOCKS | TABLES | {"br", "hr", "a"}
# Each gets dir="auto": the browser finds the direction from its first letter.
DIRECTED = (BLOCKS | TABLES) - names("caption thead tbody tfoot tr")
# Dropped with their content; of every other element that is not allowed only the tags are dropped.
DROPPED = names("script style title template noscript iframe object svg textarea select")
# The same formula once more, for programs.
OTHER_MATH = names("annotation annotation-xml")
_IN_MATH = MATH | OTHER_MATH
_YES_NO = {"true", "false"}
_SPANS = {str(number) for number in range(1, 21)}
# Without these a table's cells stand in the wrong columns.
CELL_SPANS = {name: {"colspan": _SPANS, "rowspan": _SPANS} for name in ("td", "th")}
MATH_VALUES = {
    "math": {"display": {"block", "inline"}},
    "mi": {"mathvariant": {"normal"}},
    "mo": dict.fromkeys(("fence", "largeop", "movablelimits", "separator", "stretchy", "symmetric"), _YES_NO),
    "mfrac": {"linethickness": {"0", "0em", "0pt", "0px"}},
    "mstyle": {"displaystyle": _YES_NO},
    "mover": {"accent": _YES_NO},
    "munder": {"accentunder": _YES_NO},
    "munderover": {"accent": _YES_NO, "accentunder": _YES_NO},
    "mtd": {"columnspan": _SPANS, "rowspan": _SPANS},
}
# Journals' XML has a prefix before the names of MathML.
_MATH_PREFIX = re.compile(r"<(/?)(?:m|mml):(?=[a-z])", re.IGNORECASE)

_DIVISIONS = "section|article|main|header|footer|aside|nav|center|address|figure|figcaption|form|fieldset"
_DIVISION = re.compile(rf"<(/?)(?:{_DIVISIONS})\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\b[^<>]*>", re.IGNORECASE)
# A closing tag of a known element, or one of those that need none: `a <b c` and `vector<a>` are not HTML.
_TELLING = ALLOWED | DROPPED | names("math m:math mml:math body font span html")
_IS_HTML = re.compile(
    rf"</(?:{'|'.join(sorted(_TELLING))})\s*>"
    rf"|<(?:p|br|hr|li|tr|td|html|body|!doctype)\b[^<>]*>|<(?:{_DIVISIONS}|img|iframe|meta|link)\s[^<>]*>",
    re.IGNORECASE,
)
_BREAKS = re.compile(r"<(?:p|br|div|li|tr|pre|dd)\b", re.IGNORECASE)
# What changes how HTML is read, beside the elements that are allowed or dropped. Every other name is changed,
# so that only its tags go: as a name of SVG or MathML outside of these, its content would go as well.
_READ_AS_HTML = names(
    "html head body font span img image picture source video audio canvas embed applet frame form input "
    "label button option base link meta col colgroup map area center big tt strike xmp plaintext noembed "
    "noframes"
)
_KNOWN = ALLOWED | DROPPED | _READ_AS_HTML | {"math"} | set(_DIVISIONS.split("|"))
_NAME = re.compile(r"<(/?)([a-z][a-z0-9:-]*)", re.IGNORECASE)
_HEADING = re.compile(r"<(/?)h([1-6])([ >])")
_TABLE = re.compile(r"<table( [^<>]*)?>")
# Elements that the next of their kind closes, and void ones: repeating them does not nest.
_FLAT = names("p li tr td th dt dd thead tbody option br hr img input meta link")
DEEPEST, MOST_WORK = 300, 3_000_000
# Cleaning takes quadratic time in the number of these in one text, 0.2 s for 100,000. Where there are many,
# they are replaced, while the text is cleaned, by characters that no text can contain.
_SLOW = re.compile("[&\u00a0]")
MOST_SLOW = 5_000
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31});?")
_STAND_INS = {"<": "\ufdd0", ">": "\ufdd1", "&": "\ufdd2", "\u00a0": "\ufdd3", '"': "\ufdd4", "'": "\ufdd5"}
_STAND_FOR = {stand_in: html.escape(character) for character, stand_in in _STAND_INS.items()}
_ANY_STAND_IN = re.compile("[\ufdd0-\ufdd5]")
LONGEST_TEXT = 200_000

_OVERRIDE_SIGNS = "\u202d\u202e"
_OVERRIDES = re.compile(f"[{_OVERRIDE_SIGNS}]")
_DIRECTION_SIGNS = "\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_DIRECTIONS = re.compile(f"[{_DIRECTION_SIGNS}]")
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef]")

_cleaned = partial(nh3.clean, attributes={"a": {"href"}}, url_schemes={"http", "https"}, url_relative="deny")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def render_document(text: str, images: Mapping[str, ImageAddress] = NO_IMAGES) -> Markup:
    """The text of a document, plain or HTML, as the judging page shows it: one `<div class="text">`.

    Links open in a new tab and show their target; the `images` of the page, by their `src`, are shown, others
    become links and are never loaded; where something is left out a mark says what. A long document is
    divided into parts that the browser lays out when scrolled near.
    """
    text = _UNSHOWABLE.sub("\ufffd", text).replace("\f", "\n\n").replace("\r\n", "\n").replace("\r", "\n")
    shown = None
    if _IS_HTML.search(text) and not _too_deep(text):
        shown = _html(text, PageImages(images))
        if len(shown) >= LONG and longest_text(shown) > LONGEST_TEXT:
            shown = None
    if shown is None:
        shown = LAYOUT + _document(_TAG.sub(" ", text)) if _IS_HTML.search(text) else _document(text)
        return Markup(f'<div class="text">{shown}</div>')  # noqa: S704  # cleaned or escaped
    # In HTML a line end is a space; in a plain text it is kept.
    return Markup(f'<div class="text as-html">{shown}</div>')  # noqa: S704  # cleaned


def render_guidelines(markdown: str) -> Markup:
    """Guidelines from Markdown as HTML; raw HTML is shown as text, links open in a new tab."""
    return Markup(_rendered(markdown, below=2))  # noqa: S704  # cleaned


def render_report(markdown: str) -> Markup:
    """A report from Markdown as HTML whose first heading is an h2; its tables scroll by keyboard too."""
    boxed = '<div class="scroll" role="region" aria-label="Table" tabindex="0">'
    return Markup(_rendered(markdown, below=1).replace('<div class="scroll">', boxed))  # noqa: S704  # cleaned


def _rendered(markdown: str, *, below: int) -> str:
    """Markdown as cleaned HTML, with its headings so many levels down."""
    rendered = _MARKDOWN.render(_UNSHOWABLE.sub("\ufffd", markdown))
    clean = _cleaned(
        rendered,
        tags=ALLOWED,
        clean_content_tags=DROPPED,
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return _shown(clean, below)


def _document(text: str) -> str:
    """The paragraphs of a plain text, each with its own direction."""
    written: list[str] = []
    sizes: list[int] = []
    for block in blocks(_undirected(text)):
        cut = _cut(block)
        for index, piece in enumerate(cut):
            more = ["goes-on"] if index + 1 < len(cut) else []
            # The first line feed of a `pre` is none of its text.
            feed = "\n" if block.kind is not BlockKind.PROSE and piece.startswith("\n") else ""
            written.append(_element(block, feed + piece, more, ' dir="auto"'))
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


def _element(block: Block, text: str, classes: Sequence[str] = (), direction: str = "") -> str:
    """A text of a block as an element that is set as the block is."""
    tag = "p" if block.kind is BlockKind.PROSE else "pre"
    named = " ".join(("indented", *classes) if block.kind is BlockKind.INDENTED else classes)
    opening = f'{tag} class="{named}"' if named else tag
    return f"<{opening}{direction}>{html.escape(text, quote=False)}</{tag}>"


def _cut(block: Block) -> list[str]:
    if len(block.text) <= 2 * PIECE:
        return [block.text]
    return list(pieces(block.text) if block.kind is BlockKind.PROSE else line_pieces(block.text))


def _html(text: str, images: PageImages) -> str:
    kept_breaks = "\n" in text and not _BREAKS.search(text)
    slow = len(_SLOW.findall(text)) > MOST_SLOW
    text = _named_as_html(_MATH_PREFIX.sub(r"<\1", with_stand_ins(text)))
    clean = _cleaned(
        images.as_links(_DIVISION.sub(r"<\1div>", _resolved(text) if slow else text)),
        tags=ALLOWED | MATH,
        clean_content_tags=DROPPED | OTHER_MATH,
        tag_attribute_values=MATH_VALUES | CELL_SPANS,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}} | {name: {"dir": "auto"} for name in DIRECTED},
    )
    if slow:
        clean = _ANY_STAND_IN.sub(lambda match: _STAND_FOR[match[0]], clean)
    if kept_breaks:
        clean = f'<div class="lines">{clean}</div>'
    return in_parts(images.shown(_shown(marks_shown(_LINK.sub(_with_address, clean)))))


def _named_as_html(text: str) -> str:
    formulas = 0  # that are open

    def name(match: re.Match[str]) -> str:
        nonlocal formulas
        found = match[2].lower()
        if found == "math":
            formulas = max(formulas - 1, 0) if match[1] else formulas + 1
        if found in _KNOWN or (formulas and found in _IN_MATH):
            return match[0]
        return f"<{match[1]}x-{match[2]}"

    return _NAME.sub(name, text)


def _resolved(text: str) -> str:
    # Character references are resolved here, so that no URL scheme or direction override can hide in one.
    def read(match: re.Match[str]) -> str:
        return "".join(_STAND_INS.get(one, one) for one in html.unescape(match[0]))

    return _REFERENCE.sub(read, text).replace("&", _STAND_INS["&"]).replace("\u00a0", _STAND_INS["\u00a0"])


def _shown(clean: str, below: int = 2) -> str:
    # The page has as many levels of headings above these; wide tables scroll in a container.
    lowered = _HEADING.sub(lambda match: f"<{match[1]}h{min(int(match[2]) + below, 6)}{match[3]}", clean)
    boxed = _TABLE.sub(r'<div class="scroll"><table\1>', lowered).replace("</table>", "</table></div>")
    return _overrides_shown(_undirected(boxed))


def _undirected(text: str) -> str:
    return _DIRECTIONS.sub("", text) if _has(text, _DIRECTION_SIGNS) else text


def _has(text: str, signs: str) -> bool:
    # Hardly any text has one, and an expression that looks for it takes 20 times as long.
    return any(sign in text for sign in signs)


def _overrides_shown(safe: str) -> str:
    # A direction override can disguise a text, so it is made visible.
    if not _has(safe, _OVERRIDE_SIGNS):
        return safe
    return _OVERRIDES.sub(lambda match: f'<span class="control">U+{ord(match[0]):04X}</span>', safe)


def _too_deep(text: str) -> bool:
    # Cleaning takes quadratic time in the depth, and browsers limit it to 512.
    depth = deepest = tags = 0
    opened: Counter[str] = Counter()
    for match in _TAG.finditer(text):
        tags += 1
        name = match[2].lower()
        # A closing tag of what is not open closes nothing.
        if name in _FLAT or (match[1] and not opened[name]):
            continue
        change = -1 if match[1] else 1
        opened[name] += change
        depth += change
        deepest = max(deepest, depth)
    return deepest > DEEPEST or deepest * tags > MOST_WORK


def plain_words(text: str) -> str:
    """User text as one line for titles and lists: no controls, no direction overrides, not escaped yet."""
    return _without_signs(" ".join(text.split()))


def _without_signs(text: str) -> str:
    return _DIRECTIONS.sub("", _OVERRIDES.sub("", _UNSHOWABLE.sub("\ufffd", text)))


def marked_pieces(pieces: Iterable[FragmentPiece]) -> Markup:
    """The pieces of a line of user text, those in `mark` that a query has."""
    shown = "".join(
        f"<mark>{escape(_piece(one.text))}</mark>" if one.marked else escape(_piece(one.text))
        for one in pieces
    )
    return Markup(shown)  # noqa: S704  # every piece is escaped


def _piece(text: str) -> str:
    """A piece of a line as `plain_words` has the line, with the blanks around it."""
    # Most pieces, of which a page of hits has hundreds.
    if text.isascii() and text.isprintable() and "  " not in text:
        return text
    return re.sub(r"\s+", " ", _without_signs(text))


def paragraphs(text: str) -> Markup:
    """A topic's description or narrative: escaped paragraphs."""
    shown = _undirected(_UNSHOWABLE.sub("\ufffd", text)) if text.strip() else ""
    parts = (_element(block, block.text) for block in blocks(shown))
    return Markup(_overrides_shown("\n".join(parts)))  # noqa: S704  # each part was escaped
