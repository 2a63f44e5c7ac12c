"""What a plain text shows where it has no spaces to look at, and where it has some."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.web.plain_text import Block, BlockKind, blocks
from workbench.web.rendering import render_document


def prose(*texts: str) -> list[Block]:
    return [Block(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One line.", prose("One line.")),
        ("One line. \n\nAnother.\t", prose("One line.", "Another.")),
        ("One.\n\u00a0\nTwo.", prose("One.", "Two.")),
        ("One.\n\n\u2003\n\nTwo.", prose("One.", "Two.")),
        (" One.\n Two.\n\n Three.", prose("One.\nTwo.", "Three.")),
        ("one:\n\n    x = 1\n    y = 2", [*prose("one:"), Block("    x = 1\n    y = 2", BlockKind.INDENTED)]),
    ],
    ids=["a line", "lines", "a blank of another width", "several blanks", "a margin", "code"],
)
def test_blank_lines_and_margins_are_none_of_the_text(text: str, shown: list[Block]) -> None:
    assert list(blocks(text)) == shown


@given(st.lists(st.text("ab. ", min_size=1).filter(str.strip), min_size=1, max_size=6))
def test_a_margin_of_a_whole_text_changes_nothing(lines: list[str]) -> None:
    # One line begins at the margin, so that a space before every line is a margin and nothing else.
    text = "\n".join(["Begins here.", *lines])
    assert list(blocks(" " + text.replace("\n", "\n "))) == list(blocks(text))


@pytest.mark.parametrize("sign", ["\u202d", "\u202e"], ids=["left", "right"])
@pytest.mark.parametrize("beside", ["", "ש", "😀"], ids=["ascii", "hebrew", "beyond"])
def test_each_forced_direction_is_shown_beside_any_script(sign: str, beside: str) -> None:
    shown = str(render_document(f"10{sign}01 {beside}"))
    assert f'10<span class="control">U+{ord(sign):04X}</span>01' in shown
