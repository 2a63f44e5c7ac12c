"""What runs reach in places of bounded memory, against the same from all pairs at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pooling.some_runs import ABC, MANY_SCORES, Scores, run
from tests.pooling.test_run_tops import tops
from tests.support import examples
from workbench.docnos import Words
from workbench.pooling import planning
from workbench.pooling.planning import reached_in_places
from workbench.pooling.run_tops import Reached, RunTops, known_tops, reached
from workbench.records import Run, sorted_ids

Counted = list[tuple[str, int, str, int, bool]]


def counted(found: Reached) -> Counted:
    """Topic, best rank, first run, number of runs and whether known, of every pair."""
    columns = (found.numbers, found.best, found.first, found.runs, found.known)
    return sorted(
        (found.topics[number], best, found.tags[first], runs, known)
        for number, best, first, runs, known in zip(*(one.tolist() for one in columns), strict=True)
    )


def in_places(runs: list[Run], depth: int, known: RunTops | None = None) -> Counted:
    found = reached_in_places(
        lambda: tops(runs, depth),
        tags=sorted_ids([one.tag for one in runs]),
        topics=sorted_ids({topic for one in runs for topic in one.rankings}),
        depth=depth,
        known=known,
    )
    return counted(found)


@given(MANY_SCORES, st.integers(1, 6), st.sampled_from([1, 7, 2**26]), st.data())
@settings(max_examples=examples(50), deadline=None)
def test_what_is_reached_is_the_same_in_portions_of_any_size(
    scores: dict[str, Scores], depth: int, most: int, data: st.DataObject
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    pairs = [(topic, one) for each in runs for topic, found in each.rankings.items() for one in found.docnos]
    known = set(data.draw(st.lists(st.sampled_from([*pairs, ("1", "elsewhere"), ("x", "y")]), max_size=5)))
    expected = counted(reached(tops(runs, depth), known=known_tops(known)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "MOST_PLACES", most)
        assert in_places(runs, depth, known_tops(known)) == expected


def test_documents_that_share_leading_bits_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    known = known_tops([("1", "d01"), ("1", "elsewhere")])
    expected = counted(reached(tops(ABC, 5), known=known))
    asked = []

    def shared(words: list[Words], seed: int) -> Words:
        """Of the first seeds the low bits alone, which stand behind the leading ones."""
        asked.append(seed)
        return words[0] % np.uint64(64) if seed in few else words[0] * np.uint64(0x9E3779B97F4A7C15)

    monkeypatch.setattr(planning, "hashes", shared)
    for few in ((), planning.SEEDS[:1], planning.SEEDS):
        asked.clear()
        assert in_places(ABC, 5, known) == expected
        # With all seeds in vain they are compared as they are.
        assert len(set(asked)) == min(len(few) + 1, len(planning.SEEDS))
