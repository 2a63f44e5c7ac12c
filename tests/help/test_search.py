"""The search finds what a reader types, the best section first."""

from __future__ import annotations

import pytest

from workbench.help.search import MOST_HITS, MOST_OF_A_PAGE, MOST_TERMS, Hit, search


def pages_of(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.section.page.name for hit in hits]


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("kappa", "agreement"),
        ("Which coefficient should I report", "agreement"),
        ("undo", "judging"),
        ("thompson", "strategies"),
        ("postgresql", "administration"),
        ("majority ties", "consensus"),
        ("withdraw", "participants"),
        ("jsonl", "formats"),
    ],
)
def test_a_query_leads_to_the_page_that_answers_it(query: str, page: str) -> None:
    assert page in pages_of(search(query))[:3]


def test_the_section_that_is_about_the_words_comes_before_those_that_mention_them() -> None:
    first = search("pooled unpooled kappa")[0].section
    assert (first.page.name, first.anchor) == ("agreement", "pooled-and-unpooled-kappa-on-one-table")


def test_letter_case_and_diacritics_do_not_count() -> None:
    assert search("SCHUTZE") == search("Schütze")
    assert search("schutze")


def test_the_beginning_of_a_word_is_enough_while_somebody_types() -> None:
    assert "agreement" in pages_of(search("krippend"))


def test_all_words_count_and_where_no_section_has_all_any_does() -> None:
    both = search("thompson budget")
    assert pages_of(both)[0] == "strategies"
    assert search("thompson zzzzz")
    assert search("zzzzz") == ()


@pytest.mark.parametrize("query", ["", "  ", "?!", "[[", '"'])
def test_a_query_without_words_finds_nothing(query: str) -> None:
    assert search(query) == ()


def test_a_long_query_costs_no_more_than_its_first_words() -> None:
    first = [f"word{number}" for number in range(MOST_TERMS)]
    assert search(" ".join([*first, "kappa"])) == ()
    assert search(" ".join([*first[1:], "kappa"]))


def test_a_snippet_shows_the_words_that_were_found() -> None:
    snippet = search("marginals thresholds strict")[0].snippet
    assert any(piece.found for piece in snippet)
    text = "".join(piece.text for piece in search("textbook")[0].snippet)
    assert "textbook" in text.casefold()


def test_no_page_fills_the_list_of_what_was_found() -> None:
    found = pages_of(search("document"))
    assert len(found) <= MOST_HITS
    assert max(found.count(page) for page in found) <= MOST_OF_A_PAGE
