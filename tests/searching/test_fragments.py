"""Fragments: whole sentences with the query's words marked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.searching.test_query import PIECES
from tests.support import examples
from workbench.records import Document
from workbench.searching.analysis import plain_text
from workbench.searching.engine import read_query
from workbench.searching.fragments import (
    LONGEST_SENTENCE,
    MOST_SENTENCES,
    Fragment,
    fragments,
    marked_documents,
    marked_title,
    sentence_spans,
)

TEXT = "Wings have lift. Bodies have drag. In wind tunnels, drag and lift are measured. Nothing else is said."


def marked(found: tuple[Fragment, ...]) -> list[str]:
    return [piece.text for one in found for piece in one.pieces if piece.marked]


def test_sentences_with_most_words_are_shown_in_their_order() -> None:
    found = fragments(read_query("drag lift"), TEXT, most=1)
    assert [str(one) for one in found] == ["In wind tunnels, drag and lift are measured."]
    assert marked(found) == ["drag", "lift"]
    # The next ones follow one another, so that they are one fragment.
    found = fragments(read_query("drag lift wings"), TEXT)
    assert " ".join(map(str, found)) == TEXT.removesuffix(" Nothing else is said.")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("wing", ["Wings"]),
        ("tunn*", ["tunnels"]),
        ('"drag and lift"', ["drag and lift"]),
        ('"lift drag"', []),
        # Before it "drag. In wind": sentences do not part words that are near.
        ("wind NEAR/3 drag", ["drag", "wind", "drag"]),
        ("wind NEAR/1 drag", []),
        ("-lift drag", ["drag", "drag"]),
        ("title:lift", []),
    ],
)
def test_words_are_marked_as_they_were_searched(typed: str, words: list[str]) -> None:
    assert marked(fragments(read_query(typed), TEXT)) == words


def test_where_nothing_matches_the_first_sentence_stands() -> None:
    assert [str(one) for one in fragments(read_query("mach"), TEXT)] == ["Wings have lift."]
    assert fragments(read_query("mach"), " <p></p> ") == ()


def test_a_sentence_without_end_is_cut_between_words_around_what_was_found() -> None:
    (found,) = fragments(read_query("needle"), "hay " * 400 + "needle " + "hay " * 400)
    assert found.cut_before
    assert found.cut_after
    assert marked((found,)) == ["needle"]
    assert len(str(found)) <= LONGEST_SENTENCE + 40
    assert set(str(found).split()) == {"hay", "needle"}


def test_pages_lose_their_markup_and_entities() -> None:
    (found,) = fragments(
        read_query("drag"), "<h1>Title</h1><script>drag()</script><p>Lift &amp; <b>drag</b> &lt; 1</p>"
    )
    assert str(found) == "Lift & drag < 1"


def test_marks_stand_at_characters_outside_the_first_plane_and_composed_ones() -> None:
    (found,) = fragments(read_query("cafe"), "\U0001f600 In a cafe\u0301 \U0001f600.")
    assert marked((found,)) == ["café"]


def test_a_paragraph_ends_a_sentence_whatever_stands_before_it() -> None:
    text = "Drag was measured by J.\n \nLift was not e.g. in Fig. 3."
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "Drag was measured by J.",
        "Lift was not e.g. in Fig. 3.",
    ]


def test_documents_of_a_page_are_marked_as_each_alone() -> None:
    query = read_query('title:lift wing tunn* "drag and lift" wind NEAR/3 drag')
    documents = [
        Document("1", "Lift", TEXT),
        Document("2", " A\nwing", "<p>Étude of wings.</p>"),
        Document("3", "", ""),
    ]
    assert marked_documents(query, documents) == {
        one.docno: (marked_title(query, one.title), fragments(query, one.text)) for one in documents
    }


def test_titles_are_shown_whole() -> None:
    pieces = marked_title(read_query("title:lift wing"), " Lift\n of a wing ")
    assert [(one.text, one.marked) for one in pieces] == [
        ("Lift", True),
        (" of a ", False),
        ("wing", True),
    ]


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(PIECES | st.text(max_size=4), max_size=6).map("".join),
    st.lists(
        st.sampled_from(["wing", "a", ". ", "! ", "\n\n", " ", "<p>", "&amp;", "東京。", "x" * 50]),
        max_size=60,
    ).map("".join),
)
def test_fragments_begin_and_end_at_sentences_unless_they_say_they_are_cut(typed: str, text: str) -> None:
    plain = plain_text(text)
    spans = sentence_spans(plain)
    starts = {" ".join(plain[start:end].split())[:20] for start, end in spans}
    found = fragments(read_query(typed), text)
    assert len(found) <= MOST_SENTENCES
    for one in found:
        assert (
            one.cut_before
            or " ".join(str(one).split())[:20] in {start[:20] for start in starts}
            or any(str(one).startswith(plain[start:end]) for start, end in spans)
        )
        assert all(piece.text for piece in one.pieces)
