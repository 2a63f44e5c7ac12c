"""Near-duplicates: resemblances by hand, sketches that agree with them, and hostile text."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from workbench.pooling.near_duplicate_documents import (
    KEPT,
    PROMISING,
    SketchIndex,
    TextDifference,
    differences,
    estimate,
    promising,
    resemblance,
    sketch,
)


def words(count: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    return [f"w{draw.randrange(5000)}" for _ in range(count)]


def changed(text: list[str], places: int) -> str:
    """The text with so many words changed, far from each other."""
    other = list(text)
    for place in range(places):
        other[20 + place * 20] = "other"
    return " ".join(other)


def test_resemblance_is_the_share_of_common_shingles() -> None:
    # Shingles of five words: abcde bcdef cdefg against abcde bcdef cdefh: 2 in common, 4 in all.
    assert resemblance("a b c d e f g", "a b c d e f h") == 0.5
    assert resemblance("a b c d e f g", "A, b... c d e f <b>g</b>!") == 1.0
    assert resemblance("a b c d e f g", "h i j k l m n") == 0.0


def test_a_text_of_few_words_is_one_shingle_and_an_empty_one_resembles_nothing() -> None:
    assert resemblance("a b", "a b") == 1.0
    assert resemblance("a b", "a c") == 0.0
    assert resemblance("", "") == 0.0
    assert estimate(sketch(""), sketch("")) == 0.0


def test_scripts_without_spaces_are_shingled_by_character() -> None:
    # Eight characters have four shingles of five; the last one changed leaves three in common of five.
    assert resemblance("甲状腺機能低下症", "甲状腺機能低下病") == 3 / 5


def test_hostile_text_is_only_text() -> None:
    for text in ("\0\ud800", "<" * 1000, "&" * 1000, "\u202e", "<p " * 1000):
        assert estimate(sketch(text), sketch(text)) in {0.0, 1.0}


def test_short_texts_are_estimated_exactly() -> None:
    one = words(100)
    other = changed(one, 1)
    assert estimate(sketch(" ".join(one)), sketch(other)) == resemblance(" ".join(one), other)


@pytest.mark.parametrize("places", [0, 5, 10, 20, 60])
def test_sketches_estimate_the_resemblance_of_long_texts(places: int) -> None:
    one = words(2000)
    other = changed(one, places)
    exact = resemblance(" ".join(one), other)
    # Each changed word is in five shingles of 1,996: by hand (1996 - 5p) / (1996 + 5p).
    assert exact == pytest.approx((1996 - 5 * places) / (1996 + 5 * places), abs=0.003)
    # Four standard errors.
    assert abs(estimate(sketch(" ".join(one)), sketch(other)) - exact) <= 4 * (0.25 / KEPT) ** 0.5


def test_a_sketch_is_small_and_the_same_on_every_machine() -> None:
    assert len(sketch(" ".join(words(50_000)))) == 5 + 8 * KEPT
    # One shingle; written down from this implementation so that kept sketches stay of use.
    assert sketch("the tide comes twice") == sketch("The tide <i>comes</i> twice!")
    assert sketch("the tide comes twice")[:5] == b"1\x01\x00\x00\x00"


def test_those_that_may_be_near_are_found_among_many() -> None:
    one = words(500)
    sketches = {f"d{number}": sketch(" ".join(words(300, seed=number))) for number in range(2, 60)}
    sketches |= {
        "twin": sketch(" ".join(one)),
        "near": sketch(changed(one, 2)),
        "half": sketch(" ".join(one[:250])),
    }
    asked = sketches | {"one": sketch(" ".join(one)), "no": sketch("nothing like it"), "empty": sketch("")}
    assert promising(["one", "no", "empty", "nowhere"], asked) == {"one": ["twin", "near"]}
    assert promising(["near"], {}) == {}
    assert promising(list(sketches), sketches) == {"twin": ["near"], "near": ["twin"]}


def test_differences_are_told_by_sentence() -> None:
    assert differences("One tide. Two tides! Three.", "One tide. Two boats! Three. Four") == (
        TextDifference("Two tides!", "Two boats!"),
        TextDifference("", "Four"),
    )
    assert differences("<p>Same.</p>", "Same.") == ()


def test_an_index_finds_what_comparing_all_pairs_finds() -> None:
    texts = {f"d{number}": " ".join(words(100, number)) for number in range(12)}
    texts |= {f"near {number}": changed(words(100, number), 1) for number in (3, 7)}
    texts |= {"empty": "", "short": "one word", "the same": "one word"}
    sketches = {name: sketch(text) for name, text in texts.items()}
    index = SketchIndex(sketches)
    pairs = {
        frozenset(pair)
        for pair in combinations(texts, 2)
        if estimate(*(sketches[name] for name in pair)) >= PROMISING
    }
    found = {frozenset((name, other)) for name in texts for other in index.candidates(name, sketches[name])}
    assert {frozenset(("d3", "near 3")), frozenset(("short", "the same"))} <= pairs <= found
    assert not any("d5" in pair for pair in found)
    # Its text was loaded anew, and resembles another one now.
    assert "d7" in index.candidates("d5", sketches["near 7"])
