"""JSON of results in parts: the same bytes as at once, however many rows there are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest

from workbench.tables import ROWS_OF_A_PART, Export, table_export

COLUMNS = ("docno", "value", "note")


class _Rows(Sequence[tuple[object, ...]]):
    """Rows of which it is known how many are asked for before the next part is written."""

    def __init__(self, count: int) -> None:
        self.size, self.asked = count, 0

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, at: int | slice) -> tuple[object, ...]:  # type: ignore[override]  # one by one only
        if not isinstance(at, int) or at >= self.size:
            raise IndexError
        self.asked += 1
        return (f"d{at}\udc80", at / 3, None)


@pytest.mark.parametrize("count", [0, 1, ROWS_OF_A_PART, ROWS_OF_A_PART + 1])
def test_the_parts_of_a_table_are_its_json(count: int) -> None:
    rows = _Rows(count)
    export = table_export(COLUMNS, rows)
    expected = json.dumps([dict(zip(COLUMNS, row, strict=True)) for row in rows]).encode()
    assert b"".join(export.json_parts()) == expected == export.json()


def test_rows_become_objects_part_by_part() -> None:
    rows = _Rows(3 * ROWS_OF_A_PART)
    parts: Iterator[bytes] = table_export(COLUMNS, rows).json_parts()
    next(parts)
    assert rows.asked == ROWS_OF_A_PART


@pytest.mark.parametrize("data", [{"runs": [1, 2], "n": None}, [{"run": "a"}, {"run": "b"}], [], "text"])
def test_other_data_is_written_as_it_is(data: object) -> None:
    export = Export((), lambda: (), lambda: data)
    assert b"".join(export.json_parts()) == json.dumps(data).encode()


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        table_export(("value",), [(float("nan"),)]).json()
