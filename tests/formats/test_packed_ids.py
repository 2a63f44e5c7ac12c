"""Whether an id comes twice: never overlooked, and not suspected without reason."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.formats.packed_lines import any_twice


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50), st.integers(0, 40))
def test_whatever_comes_twice_is_found(values: list[int], slots: int) -> None:
    # Shifted up, values share their highest bits less; masked, all share one slot of the table.
    several = np.array(values, dtype=np.uint64) >> np.uint64(slots)
    assert any_twice(several) == (len(set(several.tolist())) < len(values))


def test_many_that_share_one_slot_are_taken_for_a_suspicion() -> None:
    assert any_twice(np.arange(1000, dtype=np.uint64))
