"""Whether an id comes twice: never overlooked, and not suspected without reason."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.docnos import hashes
from workbench.formats.packed_lines import Words, any_twice, fingerprints


def prints(rows: list[tuple[int, ...]], topic: int = 0) -> Words:
    words = [np.array(word, dtype=np.uint64) for word in zip(*rows, strict=True)]
    return fingerprints(hashes(words), np.full(len(rows), topic, dtype=np.uint64))


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50), st.integers(0, 40))
def test_whatever_comes_twice_is_found(values: list[int], slots: int) -> None:
    # Shifted up, values share their highest bits less; masked, all share one slot of the table.
    several = np.array(values, dtype=np.uint64) >> np.uint64(slots)
    assert any_twice(several) == (len(set(several.tolist())) < len(values))


def test_many_that_share_one_slot_are_taken_for_a_suspicion() -> None:
    assert any_twice(np.arange(1000, dtype=np.uint64))


def test_a_million_different_ids_have_different_fingerprints() -> None:
    # Numbers in the last bytes of two words, as docnos have them, in four topics.
    numbers = np.arange(250_000, dtype=np.uint64)
    words = [numbers % np.uint64(500) << np.uint64(40), numbers // np.uint64(500) << np.uint64(56 - 16)]
    topics = [np.full(250_000, topic, np.uint64) for topic in range(4)]
    assert not any_twice(np.concatenate([fingerprints(hashes(words), topic) for topic in topics]))


def test_zeros_behind_an_id_change_nothing_but_zeros_before_it_do() -> None:
    short, long, shifted = prints([(7,)]), prints([(7, 0, 0)]), prints([(0, 7, 0)])
    assert short == long
    assert short != shifted


def test_the_same_document_of_another_topic_is_another() -> None:
    assert prints([(7,)], topic=1) != prints([(7,)], topic=2)
