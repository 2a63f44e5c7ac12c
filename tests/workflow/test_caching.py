"""What a cache gives to several who ask at once, and what it lets go."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

from workbench.workflow.caching import Cache


def test_all_who_make_a_value_at_once_share_one() -> None:
    both_make, cache = Barrier(2), Cache[str, object](4)

    def make() -> object:
        both_make.wait(10)
        return object()

    with ThreadPoolExecutor(2) as threads:
        first, second = (threads.submit(cache.get, "pool 1", make) for _ in range(2))
        assert first.result(10) is second.result(10) is cache.get("pool 1", object)


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    cache: Cache[str, int] = Cache(2)
    for key, value in (("a", 1), ("b", 2), ("a", 9), ("c", 3)):
        cache.get(key, partial(int, value))
    assert [cache.get("a", lambda: 0), cache.get("c", lambda: 0), cache.get("b", lambda: 0)] == [1, 3, 0]


def test_values_share_the_room_and_one_may_be_larger() -> None:
    cache: Cache[str, bytes] = Cache(9, bytes_of=len, room=10)
    assert [cache.get(one, lambda: bytes(6)) for one in "ab"] == [bytes(6)] * 2
    # Two of 6 bytes are more than 10: the older one went.
    assert cache.get("b", lambda: b"anew") == bytes(6)
    assert cache.get("c", lambda: bytes(50)) == bytes(50) == cache.get("c", lambda: b"anew")
