"""Long documents in parts: nothing of them is lost, and no tag is cut from what it closes."""

from __future__ import annotations

import re

import pytest

from workbench.web.chunking import LONG, PART, PIECE, in_parts, line_pieces, longest_text, pieces

WORDS = "tide &amp; ebb " * (LONG // 15 + 1)


def tags(html: str) -> list[str]:
    """The tags in their order, those of parts without what they say."""
    return re.findall(r"<(/?[a-z]+)", html)


def is_balanced(html: str) -> bool:
    waiting: list[str] = []
    for tag in tags(html):
        if tag in ("br", "hr"):
            continue
        if not tag.startswith("/"):
            waiting.append(tag)
        elif not waiting or waiting.pop() != tag[1:]:
            return False
    return not waiting


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{WORDS}</p>",
        "<p>short</p>" * (LONG // 10),
        f"<div><p>{'a ' * PART}</p><hr><p>{'b ' * PART}</p></div> <p>end</p>",
        f"<div><div>{'<p>a</p>' * PART}</div></div>",
        f"bare text {WORDS}<br>and more",
        f"<table><tr><td>{WORDS}</td></tr></table>",
        f"<blockquote>{'x' * PART * 2}<div>{'<p>y</p>' * PART}</div></blockquote>",
        f"\n<p>{'z' * LONG}</p>\n",
    ],
    ids=["paragraph", "paragraphs", "container", "containers", "text", "table", "quotation", "one word"],
)
def test_the_parts_have_all_of_the_document_and_every_tag_is_closed(html: str) -> None:
    divided = in_parts(html)
    assert '<div class="part">' in divided
    assert is_balanced(divided)
    # Without what was added the document is what it was.
    plain = divided.replace('</p><p class="goes-on" dir="auto">', "").replace('<div class="part">', "")
    assert re.sub("<[^>]*>", "", plain) == re.sub("<[^>]*>", "", html)


def test_a_table_is_one_part_and_a_long_paragraph_goes_on() -> None:
    assert in_parts(f"<table><tr><td>{WORDS}</td></tr></table>").count('class="part"') == 1
    long = in_parts(f"<p>{WORDS}</p>")
    assert long.count('<p class="goes-on"') >= LONG // PIECE - 1
    # No character reference was cut.
    assert re.search(r"&(?!amp;)", long) is None
    assert in_parts("<p>short</p>") == "<p>short</p>"


def test_text_is_cut_after_white_space_and_lines_at_their_ends() -> None:
    assert list(pieces("one two three four", 6)) == ["one ", "two ", "three ", "four"]
    assert list(pieces("abcdefghijkl", 4)) == ["abcd", "efgh", "ijkl"]
    # The third line has 16 characters, more than a piece and a half.
    lines = "one\ntwo\nthree four five\nsix"
    assert list(line_pieces(lines, 8)) == ["one\ntwo\n", "three ", "four five\n", "six"]


def test_the_longest_text_is_that_which_cannot_be_cut() -> None:
    assert longest_text("<p>a long paragraph</p><td>cell</td>tail") == 4
    assert longest_text("a tail") == 6
