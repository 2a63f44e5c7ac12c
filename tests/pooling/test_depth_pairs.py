"""The pairs of a depth pool alone, from runs as arrays, against the pool with everything about each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pooling.some_runs import ABC, MANY_SCORES, Scores, ranked, run
from tests.pooling.test_run_tops import tops
from tests.support import examples
from workbench.errors import WorkbenchError
from workbench.pooling import depth as module
from workbench.pooling import run_tops
from workbench.pooling.depth import depth_pairs, depth_pool
from workbench.pooling.pool import Pool
from workbench.pooling.run_tops import RunTops
from workbench.records import Ranking, Run, id_bytes

OWN = st.dictionaries(st.sampled_from(["A", "B", "1", "2"]), st.integers(0, 8), max_size=2)


def pairs_of(pool: Pool) -> list[tuple[str, list[bytes]]]:
    """The pairs of a pool as `depth_pairs` tells them, in its order."""
    found: dict[str, list[bytes]] = {}
    for entry in pool.entries:
        found.setdefault(entry.topic, []).append(id_bytes(entry.docno))
    return list(found.items())


def outcome(make: Callable[[], object]) -> object:
    try:
        return make()
    except WorkbenchError as error:
        return str(error)


def best_first(one: Run) -> Run:
    """A run as it is given where it cannot be made arrays."""
    (found,) = tops([one], 1000)
    docnos = found.docnos.tolist()
    rankings = {}
    for number, topic in enumerate(found.topics):
        listed = tuple(
            docnos[at].decode("utf-8", "surrogateescape") for at in np.flatnonzero(found.numbers == number)
        )
        rankings[topic] = Ranking(listed, (0.0,) * len(listed))
    return Run(one.tag, rankings)


@given(MANY_SCORES, st.integers(1, 6), OWN, OWN, st.integers(1, 20), st.data())
@settings(max_examples=examples(50), deadline=None)
def test_the_pairs_are_those_of_the_depth_pool_with_the_same_refusals(
    scores: dict[str, Scores], depth: int, of_runs: dict[str, int], of_topics: dict[str, int],
    at_once: int, data: st.DataObject,
) -> None:  # fmt: skip
    runs = [run(tag, topics) for tag, topics in scores.items()]
    own: dict[str, Any] = {"depth": depth, "run_depths": of_runs, "topic_depths": of_topics}
    given: list[RunTops | Run] = [
        best_first(one) if data.draw(st.booleans()) else tops([one], 8)[0] for one in runs
    ]
    with pytest.MonkeyPatch.context() as patch:
        # Runs are few here, and so they are brought together at once.
        patch.setattr(module, "_AT_ONCE", at_once)
        found = outcome(lambda: list(depth_pairs(given, **own).items()))
    assert found == outcome(lambda: pairs_of(depth_pool(runs, **own)))


def test_docnos_of_any_length_are_kept_to_the_byte() -> None:
    long = ["x" * 63, "x" * 64, "x" * 65, "x" * 127, "x" * 128, "\udcff", "é"]
    expected = sorted(map(id_bytes, long))
    runs = [ranked("A", long), ranked("B", long[::-1]), ranked("C", ["é"])]
    assert depth_pairs(tops(runs, 10)) == {"1": expected}
    assert depth_pairs([*tops(runs[1:], 10), runs[0]]) == {"1": expected}
    much_longer = ranked("D", ["x" * 100_000])
    assert depth_pairs([*tops(runs, 10), much_longer]) == {"1": sorted([*expected, b"x" * 100_000])}


def test_pairs_that_share_a_fingerprint_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = depth_pairs(tops(ABC, 5))
    monkeypatch.setattr(run_tops, "fingerprints", lambda words, numbers: np.zeros(len(numbers), np.uint64))
    assert depth_pairs(tops(ABC, 5)) == expected
