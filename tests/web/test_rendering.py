"""Hostile documents: nothing runs, nothing loads, nothing covers the page, nothing takes long."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest

from workbench.web.rendering import (
    ALLOWED,
    MATH,
    paragraphs,
    plain_words,
    render_document,
    render_guidelines,
)

TAGS = re.compile(r"</?([a-z][a-z0-9]*)([^<>]*)>")

HOSTILE = [
    "<p>before</p><script>alert(1)</script>",
    "<p>before</p><SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<p onclick=alert(1) onmouseover='alert(2)'>before</p>",
    "<p>before</p><img src=x onerror=alert(1)>",
    "<p>before</p><svg onload=alert(1)><script>alert(2)</script></svg>",
    "<p>before</p><svg><style><img src=x onerror=alert(1)></style></svg>",
    "<p>before</p><math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></math>",
    "<p>before</p><iframe src=javascript:alert(1)></iframe>",
    "<p>before</p><object data=x></object><embed src=x><applet code=x></applet>",
    "<p>before</p><form action=//evil.example><input name=x><button>press</button></form>",
    "<p>before</p><meta http-equiv=refresh content='0;url=//evil.example'>",
    "<p>before</p><base href=//evil.example><link rel=stylesheet href=//evil.example/x.css>",
    "<p>before</p><style>body{display:none}</style><div style='position:fixed;inset:0'>cover</div>",
    "<p>before</p><a href='javascript:alert(1)'>link</a><a href=//evil.example>link</a>",
    "<p>before</p><noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<p>before</p><template><img src=x onerror=alert(1)></template>",
    "<p>before</p><title></title><textarea></textarea><img src=x onerror=alert(1)>",
    "<p>before</p><!--><img src=x onerror=alert(1)>--><![CDATA[<img src=x onerror=alert(1)>]]>",
    "<p>before</p><p hx-get=/sign-out hx-trigger=load data-hx-get=/x>swap</p><hx-oob id=desk>x</hx-oob>",
    "<p>before</p><p id=desk class='card topbar' name=answer>id</p>",
    "<p>before</p><video poster=x autoplay><source src=x onerror=alert(1)></video><audio src=x></audio>",
    "<p>before</p><input autofocus onfocus=alert(1)><details open ontoggle=alert(1)>x</details>",
    "<p>before</p><dialog open>x</dialog><div popover>x</div><marquee onstart=alert(1)>x</marquee>",
    "<p>before</p><scr\0ipt>alert(1)</scr\0ipt><scr<script>ipt>alert(1)</script>",
    "<p>before</p><table background=x><tr><td background='javascript:alert(1)'>x</table>",
    "<p>before</p><math><mi xlink:href='javascript:alert(1)' onclick=alert(1) style=color:red>x</mi></math>",
    "<p>before</p><math href='javascript:alert(1)'><maction actiontype='statusline#x'>x</maction></math>",
    "<p>before</p><math><annotation-xml encoding=text/html><img src=x onerror=alert(1)></math>",
    "<p>before</p><math><mtext><mglyph><svg><mtext><style><a title='</style><img src onerror=alert(1)>'>",
    "<p>before</p><m:math><m:mtext><script>alert(1)</script></m:mtext><m:mi id=desk>x</m:mi></m:math>",
    "<p>before</p><a href='https://x.example/<iframe onload=alert(1)>'>x</a><p data-x='<script>'>x</p>",
]


ADDRESS = r'href="(https?://[^"<>]*)" data-to="[^"<>]+" target="_blank" rel="noopener noreferrer nofollow"'
OURS = {
    'class="scroll"',
    'dir="auto"',
    'target="_blank" rel="noopener noreferrer nofollow"',
    'class="goes-on" dir="auto"',
    'display="block"',
}
# A mark where something was left out; it has no text, so that offsets in the text stay what they are.
MARK = re.compile(r'<span class="left-out" role="img" aria-label="([A-Za-z0-9 :,]+)"></span>')


def attributes(html: str) -> list[str]:
    """Attributes of the tags, links that lead outside left out."""
    found = [attribute.strip() for _, attribute in TAGS.findall(html) if attribute.strip()]
    return [one for one in found if not re.fullmatch(ADDRESS, one)]


def inner(text: str) -> str:
    """What stands in the box of a document, without the directions."""
    shown = str(render_document(text))
    box = next(one for one in ('<div class="text">', '<div class="text as-html">') if shown.startswith(one))
    assert shown.endswith("</div>")
    return shown.removeprefix(box).removesuffix("</div>").replace(' dir="auto"', "")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_of_a_hostile_document_is_left_but_text(text: str) -> None:
    shown = MARK.sub("", inner(text))
    assert "before" in shown
    assert {tag for tag, _ in TAGS.findall(shown)} <= ALLOWED | MATH
    assert not re.search("[\ufdd0-\ufdef]", shown)
    # The only attributes are our own: directions, boxes around wide tables, links that say where they lead.
    assert set(attributes(shown)) <= OURS
    assert "alert(1)" not in shown or "<" not in shown[shown.index("alert(1)") - 20 : shown.index("alert(1)")]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_guidelines_are_shown_as_they_were_typed(text: str) -> None:
    shown = str(render_guidelines(text))
    assert "&lt;p" in shown
    assert {tag for tag, _ in TAGS.findall(shown)} <= {"p"}


def test_the_page_keeps_its_own_headings() -> None:
    assert inner("<h1>One</h1><h2>Two</h2><h6>Six</h6>") == "<h3>One</h3><h4>Two</h4><h6>Six</h6>"


def test_what_a_document_says_is_kept() -> None:
    text = "<p>a <b>b</b> <sub>2</sub></p><ul><li>x</li></ul><table><tr><th>h</th><td>d</td></tr></table>"
    shown = inner(text)
    for part in ("<b>b</b>", "<sub>2</sub>", "<li>x</li>", "<th>h</th>", "<td>d</td>"):
        assert part in shown


def test_a_link_leads_outside_in_a_tab_of_its_own_and_says_where() -> None:
    shown = inner(
        "<p>see <a href='https://example.org/a?b=1&amp;c=2' onclick=x id=desk class=button>there</a></p>"
    )
    (link,) = re.findall("<a ([^<>]*)>there</a>", shown)
    assert re.fullmatch(ADDRESS, link)
    assert 'href="https://example.org/a?b=1&amp;c=2"' in link
    assert 'data-to="example.org/a?b=1&amp;c=2"' in link


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "java&#x73;cript:alert(1)",
        "&#106;avascript&colon;alert(1)",
        " data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "//evil.example",
        "/sign-out",
        "#desk",
        "https://bank.example@evil.example/",
        "https://",
        "https://[",
        "blob:https://example.org/x",
    ],
)
@pytest.mark.parametrize("filler", ["", "<p>" + "&amp; " * 6000 + "</p>"], ids=["short", "many ampersands"])
def test_a_link_that_leads_nowhere_honest_is_text(target: str, filler: str) -> None:
    shown = inner(f'{filler}<p><a href="{target}">there</a></p>')
    assert "href" not in shown
    assert "there" in shown


def test_an_image_is_a_link_and_is_never_loaded() -> None:
    shown = inner('<p><img alt="a &amp; tide" src="https://example.org/x.png?a=1&b=2" onerror=alert(1)></p>')
    assert "<img" not in shown
    assert '<a href="https://example.org/x.png?a=1&amp;b=2" data-to="example.org/x.png?a=1&amp;b=2"' in shown
    assert inner("<p><img src=data:image/png;base64,AAAA alt=chart></p>") == "<p>[Image: chart]</p>"
    assert inner("<p><img src=tide.png></p>") == "<p>[Image]</p>"


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("<script>var a = '<iframe>';</script>", ["Script left out"]),
        ("<script>1</script>\n<SCRIPT>2</SCRIPT>", ["2 scripts left out"]),
        ("<iframe src='https://example.org'>x</iframe>", ["Embedded page left out"]),
        ("<object data=x><embed src=y></object>", ["Embedded object left out"]),
        ("<svg><script>1</script><text>x</text></svg>", ["Drawing left out"]),
        ("<canvas></canvas><video src=x></video>", ["Drawing left out", "Video left out"]),
        ("<form>a <input name=x> b</form>", ["Form, shown as text", "Form field left out"]),
        ("<input type=hidden name=x><!-- <iframe> --><link rel=x><style>p{}</style>", []),
        ("<p title='<script>'>t</p><a href='https://example.org/<iframe>'>l</a>", []),
    ],
)
def test_what_is_left_out_leaves_a_mark_in_its_place(left_out: str, said: list[str]) -> None:
    shown = inner(f"<p>before</p>{left_out}<p>after</p>")
    assert MARK.findall(shown) == said
    if said:
        first, last = shown.index("<p>before</p>"), shown.index("<p>after</p>")
        assert first < shown.index('<span class="left-out"') < last
    assert 'href="https://example.org/&lt;iframe&gt;"' in shown or "href" not in shown


def test_a_layout_that_cannot_be_shown_says_so_above_its_text() -> None:
    shown = inner("<div>" * 400 + "deep" + "</div>" * 400)
    assert MARK.findall(shown) == ["Layout left out: too large or too deeply nested"]
    assert shown.endswith("<p>deep</p>")


def test_formulas_are_shown_without_what_is_meant_for_programs() -> None:
    formula = "<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mn>4</mn></math>"
    assert inner(f"<p>If {formula} then.</p>") == f"<p>If {formula} then.</p>"
    # The journals' way to write it, what programs read beside it, and what no formula needs.
    other = (
        '<p><mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML" display="block" style="color:red">'
        '<mml:semantics><mml:mfrac linethickness="0" href="https://x.example"><mml:mi>n</mml:mi>'
        '<mml:mi>k</mml:mi></mml:mfrac><mml:annotation encoding="TeX">n \\choose k</mml:annotation>'
        "</mml:semantics></mml:math></p>"
    )
    assert inner(other) == (
        '<p><math display="block"><semantics><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>'
        "</semantics></math></p>"
    )


@pytest.mark.parametrize("name", ["TEXT", "desc", "line", "list", "product", "mi", "annotation", "headline"])
@pytest.mark.parametrize("formula", ["", "<p><math><mi>x</mi></math></p>"])
def test_an_element_named_as_in_a_drawing_or_a_formula_keeps_its_text(name: str, formula: str) -> None:
    # Collections have names of their own: <TEXT> of TREC's news is none of SVG.
    shown = inner(f"<DOC><DOCNO>1</DOCNO>{formula}<{name}><p>a tide</p> and so on</{name}></DOC>")
    assert shown == f"1{formula}<p>a tide</p> and so on"


def test_the_indents_of_code_and_lists_are_kept_and_those_of_paragraphs_are_not() -> None:
    code = "def tide(hours):\n    if hours > 6:\n        return 'out'\n\n    return 'in'"
    shown = inner(f"It is computed so:\n\n{code}\n\nAnd printed.")
    kept = code.replace(">", "&gt;")
    assert shown == f'<p>It is computed so:</p>\n<pre class="indented">{kept}</pre>\n<p>And printed.</p>'
    for as_it_is in ("server:\n  port: 80\n  hosts:\n    - a", "\tone\n\t\ttwo\nthree", "a\n  b\nc\n  d"):
        assert inner(as_it_is) == f'<pre class="indented">{as_it_is.expandtabs(8)}</pre>'
    # An indent that all lines have is none.
    assert inner("    The tide comes in\n    and goes") == "<p>The tide comes in\nand goes</p>"
    paper = (
        "     LISBON - General practitioners in the series measured the\n"
        "hormone in only a third of those whose first complaint was it.\n"
        "     The authors argue for a test before any local treatment is\n"
        "begun.\n\n"
        "     A paragraph of one line is no code, wherever it stands.\n"
    )
    assert inner(paper).count("<p>") == 3
    assert "<pre" not in inner(paper)
    log = "".join(f"2026-11-22 10:00:0{second} ERROR no connection to the archive\n" for second in range(5))
    assert inner(log).count("\n") == 4


def test_long_code_is_cut_between_its_lines() -> None:
    code = "\n".join(f"line {number}\n\n    inner {number}" for number in range(2000))
    shown = str(render_document(code))
    cut = re.findall(r'<pre class="indented(?: goes-on)?" dir="auto">\n?((?:.|\n)*?)</pre>', shown)
    assert len(cut) > 3
    assert "".join(cut) == code.removeprefix("line 0\n\n")


def test_many_ampersands_and_spaces_are_cleaned_like_few() -> None:
    text = "<p>a &lt;b&gt; &amp; c&nbsp;d &#x202e;e &quot;f&quot; &notanentity; & g\u00a0h</p>"
    few = inner(text)
    many = inner(text + "<p>" + "& " * 6000 + "</p>")
    # A browser reads the same from both, whether a character is written as itself or by its reference.
    assert unescape(many).startswith(unescape(few))
    assert "&lt;b&gt;" in many
    assert '<span class="control">U+202E</span>' in many
    assert "\ufdd0" not in many


def test_each_block_finds_its_own_direction() -> None:
    assert render_document("<p>a</p><ul><li>b</li></ul>") == (
        '<div class="text as-html"><p dir="auto">a</p><ul dir="auto"><li dir="auto">b</li></ul></div>'
    )
    assert render_document("a\n\nb") == '<div class="text"><p dir="auto">a</p>\n<p dir="auto">b</p></div>'


def test_parts_that_stand_apart_stay_apart() -> None:
    shown = inner("<section>one</section><article>two</article><div>three</div>")
    assert shown == "<div>one</div><div>two</div><div>three</div>"


@pytest.mark.parametrize(
    "text",
    [
        "<div>" * 50_000 + "deep" + "</div>" * 50_000,
        "<blockquote><p>" * 50_000 + "deep</p>",
        "<b><i><u>" * 50_000 + "deep</b>",
        "".join(f"<font size={n}>" for n in range(10_000)) + "<p>deep</p>" * 10_000,
        "<p>" * 50_000 + "deep</p>",
        "<table><tr><td>" * 50_000 + "deep</td>",
        "<ul><li>" * 50_000 + "deep</li>",
        "<svg>" * 50_000 + "deep</svg>",
        "<" * 500_000 + "p>deep</p>",
        "<p " * 150_000 + ">deep</p>",
        "</p>" * 50_000 + "deep",
        "<!--" * 150_000 + "deep</p>",
        "&" * 500_000 + "<p>deep</p>",
        "<p>" + "\u00a0&nbsp;" * 150_000 + "deep</p>",
        "<b>" + "&" * 150_000 + "deep</b>",
        "<div>" * 90 + "<p>x</p>" * 15_000 + "deep</div>",
        "<p><img src=" * 50_000 + ">deep</p>",
        "<p>" + "<a href=https://example.org/>" * 15_000 + "deep</p>",
        "<div></b>" * 50_000 + "deep",
    ],
    ids=range(19),
)
def test_a_document_made_to_take_long_does_not(text: str) -> None:
    # The processor's time, so that it does not matter what else the machine does: a quarter of a second.
    begun = time.process_time()
    shown = str(render_document(text))
    assert time.process_time() - begun < 2.5
    depth = deepest = 0
    for match in re.finditer(r"<(/?)(?:div|blockquote|b|i|u|p|table|ul|li|td|tr|tbody)>", shown):
        depth += -1 if match[1] else 1
        deepest = max(deepest, depth)
    # Browsers stop at 512.
    assert deepest <= 512


def test_a_forced_direction_is_shown_and_other_directions_go() -> None:
    for text in ("dose 10\u202e01 mg", "<p>dose 10\u202e01 mg</p>", "<p>dose 10&#x202e;01 mg</p>"):
        shown = str(render_document(text))
        assert "\u202e" not in shown
        assert '<span class="control">U+202E</span>01 mg' in shown
    for control in "\u202a\u202b\u202c\u2066\u2067\u2068\u2069":
        assert inner(f"a{control}b") == "<p>ab</p>"
        assert inner(f"<p>a{control}b</p>") == "<p>ab</p>"


def test_right_to_left_text_is_kept() -> None:
    assert "שלום\u200f" in render_document("שלום\u200f world")


@pytest.mark.parametrize("text", ["a\0b", "<p>a\0b</p>", "a\ud800b", "<p>\udcff</p>"])
def test_what_no_page_can_hold_is_shown_as_missing(text: str) -> None:
    shown = str(render_document(text))
    assert "\ufffd" in shown
    assert "\0" not in shown
    assert "<script" not in shown
    shown.encode()


@pytest.mark.parametrize(
    "text",
    [
        "a < b and b > c",
        "if x <y then",
        "vector<a> and map<b, c>",
        "<3",
        "5 <br",
        "&lt;script&gt;",
        "<name@example.org>",
    ],
)
def test_plain_text_with_angles_is_shown_as_it_is(text: str) -> None:
    shown = inner(text)
    assert shown.startswith("<p>")
    assert "<" not in shown[3:-4]


def test_markup_in_plain_text_that_looks_like_none_is_escaped() -> None:
    assert inner("tom & jerry") == "<p>tom &amp; jerry</p>"


def test_lines_broken_to_a_width_are_joined_and_verse_is_not() -> None:
    prose = (
        "General practitioners in the series measured the hormone in\n"
        "only a third of those whose first complaint concerned the\n"
        "scalp."
    )
    assert inner(prose) == f"<p>{prose.replace(chr(10), ' ')}</p>"
    verse = "The tide comes in\nand goes\nand comes again"
    assert inner(verse) == f"<p>{verse}</p>"


def test_blank_lines_and_indents_begin_paragraphs() -> None:
    first = "A line of prose that is long enough to be broken to a width of its"
    text = f"   {first}\nown, and goes on.\n\n\nAnother."
    assert inner(text) == f"<p>{first} own, and goes on.</p>\n<p>Another.</p>"


def test_columns_aligned_by_spaces_keep_their_spaces() -> None:
    table = "Dose      Weeks\n25        12\n50        12"
    assert inner(table) == f"<pre>{table}</pre>"


def test_lines_are_kept_where_markup_has_no_paragraphs() -> None:
    shown = inner("<h3>Head</h3>\nfirst line\n\nsecond line")
    assert shown == '<div class="lines"><h5>Head</h5>\nfirst line\n\nsecond line</div>'


def test_guidelines_are_markdown_with_links_that_leave_in_a_tab_of_their_own() -> None:
    shown = str(
        render_guidelines("# One\n\n- *two*\n\n[three](https://example.org/x)\n\n| a |\n|---|\n| b |")
    )
    assert "<h3>One</h3>" in shown
    assert "<em>two</em>" in shown
    assert '<div class="scroll"><table>' in shown
    (link,) = re.findall(r"<a [^>]*>", shown)
    assert set(link[3:-1].split()) == {
        'href="https://example.org/x"', 'target="_blank"', 'rel="noopener', 'noreferrer"'
    }  # fmt: skip


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "/sign-out", "ftp://x.example"]
)
def test_other_links_in_guidelines_lead_nowhere(target: str) -> None:
    assert "href" not in render_guidelines(f"[text](<{target}>)")


def test_images_in_guidelines_are_not_loaded() -> None:
    assert "<img" not in render_guidelines("![x](https://example.org/x.png)")


def test_a_title_is_one_line_of_words() -> None:
    assert plain_words("  two\n words\u202e\u2066 \0") == "two words \ufffd"


def test_an_empty_narrative_is_nothing() -> None:
    assert paragraphs(" \n") == ""
    assert paragraphs("one\n\n<b>two</b>") == "<p>one</p>\n<p>&lt;b&gt;two&lt;/b&gt;</p>"
