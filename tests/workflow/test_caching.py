"""What a process remembers: by hash for good, by version for as long as nothing changes."""

from __future__ import annotations

from workbench.workflow.caching import Cache


class Counter:
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> int:
        self.asked += 1
        return self.asked


def test_a_version_is_reckoned_once_and_another_anew_where_it_is_quick() -> None:
    made, known = Counter(), Cache[str, int](2, moment=60)
    assert [known.get("a", made, version=version) for version in (1, 1, 2, 2, 1)] == [1, 1, 2, 2, 3]


def test_what_is_long_to_reckon_serves_for_a_while_after_a_change() -> None:
    made, known = Counter(), Cache[str, int](2, moment=-1)
    assert known.get("a", made, version=1) == 1
    assert known.get("a", made, version=2, patience=60) == 1
    assert known.get("a", made, version=2, patience=0) == 2


def test_what_is_to_be_steady_stays_for_a_while_even_where_it_is_quick() -> None:
    made, known = Counter(), Cache[str, int](2, moment=60)
    assert known.get("a", made, version=1) == 1
    assert known.get("a", made, version=2, patience=60, steady=True) == 1
    assert known.get("a", made, version=2, patience=60) == 2


def test_only_so_many_are_kept() -> None:
    made, known = Counter(), Cache[str, int](2, moment=60)
    for key in ("a", "b", "a", "c"):
        known.get(key, made, version=1)
    assert (known.get("a", made, version=1), made.asked) == (1, 3)
    assert known.get("b", made, version=1) == 4


def test_only_as_many_bytes_are_kept_as_there_is_room_for_but_always_the_last_value() -> None:
    known = Cache[str, int](9, bytes_of=lambda value: value, room=100)
    for value in (60, 30, 10):
        known.put(f"{value} bytes", value)
    assert known.peek("60 bytes") == 60
    # 120 bytes: 30, which was used least recently, goes, and then there is room.
    known.put("20 bytes", 20)
    assert [known.peek(f"{value} bytes") for value in (60, 30, 10, 20)] == [60, None, 10, 20]
    # In the place of 60 they are 95, too few for anything to go; another of 200 has no room beside it.
    known.put("60 bytes", 65)
    assert [known.peek(key) for key in ("60 bytes", "10 bytes", "20 bytes")] == [65, 10, 20]
    assert known.get("large", lambda: 200) == 200
    assert [known.peek(key) for key in ("60 bytes", "10 bytes", "20 bytes", "large")] == [
        None,
        None,
        None,
        200,
    ]
