"""The parts in which a release is stored, of pieces of any size."""

from __future__ import annotations

import pytest

from workbench.storage.releases import PART, parts_of


@pytest.mark.parametrize(
    "sizes", [[], [0], [1, 0, 2], [PART], [PART, 1], [PART - 1, 2, PART], [2 * PART + 5, 7, 3 * PART - 12]]
)
def test_all_parts_but_the_last_have_one_size(sizes: list[int]) -> None:
    pieces = [bytes([number % 251]) * size for number, size in enumerate(sizes, 1)]
    parts = list(parts_of(pieces))
    assert b"".join(parts) == b"".join(pieces)
    assert {len(part) for part in parts[:-1]} <= {PART}
    assert all(0 < len(part) <= PART for part in parts[-1:])
