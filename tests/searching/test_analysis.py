"""Terms of texts, and the places at which a text has them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import examples
from workbench.searching.analysis import LONGEST_TERM, Places, WordForms, plain_text, stemming, unstemmed

WORDS = ["Wings", "wing", "dying", "10", "naïve", "東京タワー", "b-c_d", "x" * (LONGEST_TERM - 1), "y" * 90]
BLANKS = [" ", "\n", ". ", "’", "-", "\u3000", "\u0301", "😀"]


def by_analyser(text: str, *, stemmed: bool) -> Places:
    """The places of all terms, as the analyser of the index tells them for the text as a whole."""
    found: Places = {}
    tokens = (stemming() if stemmed else unstemmed()).pre_tokenize(text).tokens
    for number, one in enumerate(tokens):
        found.setdefault(one.text, {})[number] = one.char_offset_from, one.char_offset_to
    return found


class Everything:
    """Has whatever is asked."""

    def __contains__(self, _: object) -> bool:
        return True


@pytest.mark.parametrize("stemmed", [True, False])
@settings(max_examples=examples(100), deadline=None)
@given(
    texts=st.lists(
        st.lists(st.sampled_from([*WORDS, *BLANKS]) | st.text(max_size=3), max_size=20).map("".join),
        min_size=1,
        max_size=3,
    )
)
def test_places_of_terms_are_those_of_the_analyser(texts: list[str], *, stemmed: bool) -> None:
    plain = [plain_text(text) for text in texts]
    forms = WordForms(plain, Everything(), stemmed=stemmed)
    assert [forms.places(text) for text in plain] == [by_analyser(text, stemmed=stemmed) for text in plain]


def test_only_terms_that_are_asked_for_are_found_and_all_are_counted() -> None:
    text = "The wings of a wing"
    assert WordForms([text], {"wing"}).places(text) == {"wing": {1: (4, 9), 4: (15, 19)}}
