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
