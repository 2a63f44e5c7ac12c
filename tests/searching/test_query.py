"""What a person types is read as a query, whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import examples
from workbench.searching.engine import (
    LONGEST_QUERY,
    MOST_CLAUSES,
    MOST_NEAR,
    ClauseRole,
    TermKind,
    read_query,
)

RANKS, REQUIRED, EXCLUDED = ClauseRole.RANKS, ClauseRole.REQUIRED, ClauseRole.EXCLUDED


@pytest.mark.parametrize(
    ("typed", "clauses"),
    [
        ("wing lift", [(RANKS, "wing"), (RANKS, "lift")]),
        ('"boundary layer"', [(REQUIRED, "“boundary layer”")]),
        ("“boundary layer”", [(REQUIRED, "“boundary layer”")]),
        ('"wing"', [(REQUIRED, "“wing”")]),
        ('"no end', [(REQUIRED, "“no end”")]),
        ("-wing", [(EXCLUDED, "wing")]),
        ('-"boundary layer"', [(EXCLUDED, "“boundary layer”")]),
        ("title:wing", [(REQUIRED, "wing in the title")]),
        ("-TITLE:wing", [(EXCLUDED, "wing in the title")]),
        ("aero*", [(RANKS, "aero*")]),
        ("lift OR drag OR thrust wing", [(REQUIRED, "lift or drag or thrust"), (RANKS, "wing")]),
        ('"a b" OR title:c', [(REQUIRED, "“a b” or c in the title")]),
        ("wing NEAR/5 body", [(REQUIRED, "wing within 5 words of body")]),
        ("wing NEAR body", [(REQUIRED, "wing within 8 words of body")]),
        # Anything else is a word.
        ("a:b", [(RANKS, "a:b")]),
        ("wing-body", [(RANKS, "wing-body")]),
        ("OR wing", [(RANKS, "OR"), (RANKS, "wing")]),
        ("wing OR", [(RANKS, "wing"), (RANKS, "OR")]),
        ("wing or body", [(RANKS, "wing"), (RANKS, "or"), (RANKS, "body")]),
        ("wing OR -body", [(RANKS, "wing"), (RANKS, "OR"), (EXCLUDED, "body")]),
        ('NEAR "wing"', [(RANKS, "NEAR"), (REQUIRED, "“wing”")]),
        ("wing NEAR -body", [(RANKS, "wing"), (RANKS, "NEAR"), (EXCLUDED, "body")]),
        ("title:", [(RANKS, "title:")]),
        ("a*", [(RANKS, "a*")]),
        ("(wing) [0 TO *]", [(RANKS, "(wing)"), (RANKS, "[0"), (RANKS, "TO")]),
        ("- * ? \" ' \\", []),
        ("", []),
    ],
)
def test_each_form_means_what_the_help_says(typed: str, clauses: list[tuple[ClauseRole, str]]) -> None:
    found = read_query(typed)
    assert [(one.role, str(one)) for one in found.clauses] == clauses
    assert found.typed == typed


def test_one_letter_with_a_star_is_a_word_since_it_would_be_every_other_word() -> None:
    assert read_query("a*").clauses[0].terms[0].kind is TermKind.WORD
    assert read_query("ab*").clauses[0].terms[0].kind is TermKind.PREFIX


def test_words_are_near_within_bounds() -> None:
    assert read_query("a NEAR/0 b").clauses[0].terms[0].distance == 1
    assert read_query("a NEAR/999 b").clauses[0].terms[0].distance == MOST_NEAR


def test_what_is_too_much_is_left_out_and_said_to_be() -> None:
    many = read_query(" ".join(f"w{number}" for number in range(MOST_CLAUSES + 1)))
    assert len(many.clauses) == MOST_CLAUSES
    assert many.left_out
    exactly = read_query(" ".join(f"w{number}" for number in range(MOST_CLAUSES)))
    assert not exactly.left_out
    assert read_query("a" * (LONGEST_QUERY + 1)).left_out


PIECES = st.sampled_from(
    [
        '"',
        "-",
        "*",
        "OR",
        "NEAR",
        "NEAR/3",
        "title:",
        "(",
        ")",
        "\\",
        "[",
        "a",
        "wing",
        "東京",
        "\ud800",
        "\x00",
        " ",
    ]
)


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join))
def test_no_text_is_refused_and_what_was_understood_is_said(typed: str) -> None:
    found = read_query(typed)
    assert found.understood
    assert bool(found.clauses) or not any(
        one.isalnum() and not any(sign in typed for sign in ('"', "-", "title:")) for one in typed
    )
