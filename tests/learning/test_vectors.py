"""Text to vectors: words, hashed columns, weights by hand, and the same matrix for the same documents."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from tests.learning.small_collection import documents, small_vectors
from workbench.errors import WorkbenchError
from workbench.learning.vectors import COLUMNS, column, topic_text, vectors_of, words
from workbench.records import Document, Topic


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wings, <b>lift</b> &amp; DRAG", ["wings", "lift", "drag"]),
        ("café o'clock x 42", ["café", "clock", "42"]),
        ("空気 flow", ["空", "気", "flow"]),
        ("a < b and c > d", ["and"]),
        ("", []),
    ],
)
def test_words_are_read_without_markup(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_word_has_its_column_on_every_machine() -> None:
    # CRC-32 of "123456789" is CBF43926 in every table of check values; its last 20 bits are 43926
    # hexadecimal.
    assert column("123456789") == 0x43926 < COLUMNS


def test_weights_are_those_of_the_formula() -> None:
    vectors = small_vectors()
    # In two documents each: wing, lift, of, in, heat, plate, flow, air. In one alone: slipstream, on.
    assert vectors.matrix.shape == (6, 8)
    row = vectors.matrix[[vectors.places["d1"]]].toarray().ravel()
    # wing twice, lift once, of the same idf: 1 + ln 2 against 1, brought to length 1.
    wing, lift = 1 + log(2), 1.0
    length = sqrt(wing**2 + lift**2)
    at = {name: int(np.searchsorted(vectors.used, column(name))) for name in ("wing", "lift")}
    assert row[at["wing"]] == pytest.approx(wing / length, abs=1e-6)
    assert row[at["lift"]] == pytest.approx(lift / length, abs=1e-6)
    assert vectors.idf[at["wing"]] == pytest.approx(log(7 / 3) + 1, abs=1e-6)
    assert np.count_nonzero(row) == 2


def test_an_empty_document_is_an_empty_row_and_unknown_words_do_not_count() -> None:
    vectors = small_vectors()
    assert vectors.matrix[[vectors.places["d6"]]].nnz == 0
    assert vectors.vector("slipstream nowhere").nnz == 0
    assert vectors.vector("wing nowhere").toarray().max() == pytest.approx(1.0)
    assert vectors_of([Document("only", text="one")]).matrix.shape == (1, 0)


def test_the_order_of_documents_changes_nothing() -> None:
    one, other = small_vectors(), vectors_of(reversed(documents()))
    assert one.docnos == other.docnos == ("d1", "d2", "d3", "d4", "d5", "d6")
    assert (one.matrix != other.matrix).nnz == 0


def test_all_of_a_topic_counts() -> None:
    assert words(topic_text(Topic("1", "wing", "lift", "drag"))) == ["wing", "lift", "drag"]


def test_no_document_and_a_docno_that_comes_twice_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="no documents"):
        vectors_of([])
    with pytest.raises(WorkbenchError, match="d1 is listed 2 times"):
        vectors_of([Document("d1"), Document("d2"), Document("d1")])
