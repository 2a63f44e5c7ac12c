"""Where probes stand: at the set rate, far enough from what they repeat, and always the same by a seed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import examples
from workbench.storage.events import PLANTED, REPEAT
from workbench.workflow.judging.quality_checks import CheckRules, check_places, seeded_order, slot_key
from workbench.workflow.judging.task import Slot


@settings(max_examples=examples(20), deadline=None)
@given(
    before=st.integers(0, 40), coming=st.integers(0, 120), one_in=st.integers(2, 15),
    distance=st.integers(1, 30), seed=st.integers(0, 2**40), barred=st.integers(0, 20),
    planted=st.integers(0, 5),
)  # fmt: skip
def test_repeats_keep_their_distance_and_come_once_each_at_the_rate(
    before: int, coming: int, one_in: int, distance: int, seed: int, barred: int, planted: int
) -> None:
    old, new = [f"b{n}" for n in range(before)], [f"c{n}" for n in range(coming)]
    every, known = [*old, *new], {f"p{n}" for n in range(planted)}

    def plan() -> dict[int, list[Slot]]:
        return check_places(
            old, new, seed=seed, topic="T", rules=CheckRules(one_in, distance), planted=known,
            repeated=every[:barred],
        )  # fmt: skip

    found = plan()
    assert found == plan()
    assert all(0 <= at <= coming for at in found)
    repeats = [(at, slot.docno) for at in sorted(found) for slot in found[at] if slot.purpose == REPEAT]
    assert len({docno for _, docno in repeats}) == len(repeats)
    assert not {docno for _, docno in repeats} & set(every[:barred])
    apart = min(distance, len(every) // 2)
    for at, docno in repeats:
        # Shown by then are before + at documents, the repeated one among them.
        assert before + at - 1 - every.index(docno) >= apart
    # At most one for every `one_in` documents, and so many wherever there was something to repeat in time.
    assert len(repeats) <= -(-coming // one_in)
    if not barred and before - apart >= coming:
        assert len(repeats) >= coming // one_in
    shown = {slot.docno for slots in found.values() for slot in slots if slot.purpose == PLANTED}
    assert shown == (known if coming else set())


def test_the_rate_is_reached_in_spite_of_the_distance_and_in_small_topics() -> None:
    # Nothing can be repeated among the first ten of 24 documents; what is owed by then comes later: 24 / 4.
    docnos = [f"d{n}" for n in range(24)]
    found = check_places([], docnos, seed=7, topic="T", rules=CheckRules(4, 10))
    assert sum(len(slots) for slots in found.values()) == 6
    # Of six documents one in four is 1.5: one or two in each of 24 topics, 36 on average.
    small = [
        sum(
            len(slots)
            for slots in check_places([], docnos[:6], seed=7, topic=str(n), rules=CheckRules(4, 10)).values()
        )
        for n in range(24)
    ]
    assert set(small) == {1, 2}
    assert 30 <= sum(small) <= 42


def test_keys_tell_nothing_and_differ() -> None:
    slots = [Slot("d1"), Slot("d1", REPEAT), Slot("d2"), Slot("d2", PLANTED)]
    keys = [slot_key(slot, assignment_id=1, seed=3, topic="T") for slot in slots]
    assert len(set(keys)) == 4
    assert {len(key) for key in keys} == {24}
    assert seeded_order({"a", "b", "c"}, seed=1, topic="T") == seeded_order(
        ["c", "b", "a"], seed=1, topic="T"
    )
