"""A simulation: means and intervals by hand, the same again, and the learner on real collections."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.learning.small_collection import small_vectors
from tests.support import cases, shared
from workbench.errors import WorkbenchError
from workbench.formats.documents import read_documents
from workbench.formats.qrels import read_qrels
from workbench.formats.topics import read_topics
from workbench.learning.learners import BMI
from workbench.learning.simulation import (
    JudgedTopic,
    LearnerSimulation,
    SimulatedReview,
    SimulationOptions,
    judged_topics,
    read_judged_topic,
    simulate,
)
from workbench.learning.stopping import StoppingGoal, StopPoint
from workbench.learning.vectors import Vectors, vectors_of
from workbench.records import Qrel, Topic

SEEDS = 10


def review(topic: str, seed: int, ranks: list[int], stop: StopPoint) -> SimulatedReview:
    return SimulatedReview(topic, seed, len(ranks), np.array(ranks), {"knee": stop})


def by_hand() -> LearnerSimulation:
    """Two topics with two seeds in a collection of 10; the rule stops at 4 twice and never twice."""
    stop, never = StopPoint(4, 1, "so"), StopPoint(None, None, "no")
    reviews = (
        *(review("A", 0, [1, 2], StopPoint(4, 2, "so")), review("B", 0, [2, 8], stop)),
        *(review("A", 1, [1, 4], never), review("B", 1, [4, 10], never)),
    )
    return LearnerSimulation(SimulationOptions(rules=("knee",), repeats=2), 10, reviews)


def test_means_are_over_topics_with_an_interval_and_the_range_of_the_seeds() -> None:
    found = {one.measure: one for one in by_hand().measures()}
    # Effort for .8 of 2 is the second relevant document: A 2 and 4, B 8 and 10. Topics 3 and 9, seeds 5 and
    # 7.
    effort = found["effort@0.8"]
    assert (effort.value, effort.seeds_low, effort.seeds_high) == (6.0, 5.0, 7.0)
    # Two topics give no interval, as nowhere else.
    assert (effort.low, effort.high) == (None, None)
    # Recall after 2: A 1 and .5, B .5 and 0.
    assert found["recall@R"].value == 0.5


def test_the_interval_of_a_mean_is_students() -> None:
    def bounds(efforts: tuple[int, ...]) -> tuple[float | None, float | None]:
        never = StopPoint(None, None, "")
        reviews = tuple(review(str(topic), 0, [1, at], never) for topic, at in enumerate(efforts))
        found = LearnerSimulation(SimulationOptions(rules=("knee",)), 10, reviews).measures()
        (effort,) = (one for one in found if one.measure == "effort@0.8")
        return effort.low, effort.high

    # t of four degrees is 2.7764; the standard error of 3 to 7 is .70711.
    assert bounds((3, 4, 5, 6, 7)) == pytest.approx((5 - 1.9632, 5 + 1.9632), abs=1e-3)
    # 5.2 -+ 2.7764 * 1.9596 is less than nothing, and more than the 10 documents.
    assert bounds((2, 2, 2, 10, 10)) == (0.0, 10.0)
    assert bounds((3, 4, 5, 6)) == (None, None)


def test_what_never_stops_is_read_to_the_end() -> None:
    (rule,) = by_hand().rules()
    # Recall 1, .5, 1, 1 and 4, 4, 10, 10 documents.
    assert (rule.recall.value, rule.read.value) == (0.875, 7.0)
    assert (rule.stopped, rule.reached, rule.reviews) == (2, 3, 4)
    # Clopper and Pearson, 3 of 4: .1941 to .9937, as in any table.
    assert (rule.reached_low, rule.reached_high) == pytest.approx((0.1941, 0.9937), abs=1e-4)


def test_the_curve_rises_from_nothing_to_all() -> None:
    curve = by_hand().curve()
    assert curve[0][:2] == (0, 0.0)
    assert curve[-1] == (10, 1.0, 1.0, 1.0)
    # After 4: 1, .5, 1, .5.
    assert curve[4] == (4, 0.75, 0.5, 1.0)


def small_topics(vectors: Vectors) -> tuple[JudgedTopic, ...]:
    qrels = [
        Qrel("1", "d1", 1),
        Qrel("1", "d2", 1),
        Qrel("2", "d5", 1),
        Qrel("2", "gone", 1),
        Qrel("3", "d1", 0),
    ]
    return judged_topics(vectors, [Topic("1", "wing lift"), Topic("2", "air"), Topic("3", "heat")], qrels)


def test_topics_without_relevant_documents_in_the_collection_are_left_out() -> None:
    vectors = small_vectors()
    assert [(one.topic, int(one.relevant.sum())) for one in small_topics(vectors)] == [("1", 2), ("2", 1)]
    with pytest.raises(WorkbenchError, match="no topic has 3"):
        judged_topics(vectors, [Topic("1", "wing")], [Qrel("1", "d1", 1)], fewest=3)


def test_a_trace_is_what_was_read() -> None:
    vectors = small_vectors()
    topic = small_topics(vectors)[0]
    trace, order = read_judged_topic(vectors, topic, BMI, seed=0, whole=True)
    assert sorted(order.tolist()) == list(range(6))
    assert trace.ends.tolist() == [1, 3, 6]
    assert trace.relevant.tolist() == topic.relevant[order].tolist()
    assert trace.drawn is not None
    read_at = trace.drawn.read_at
    assert sorted(read_at.tolist()) == [1, 2, 3, 4, 5, 6]
    assert trace.drawn.relevant.tolist() == trace.relevant[read_at - 1].tolist()
    short, _ = read_judged_topic(vectors, topic, BMI, seed=0, whole=False)
    assert short.ends[-1] < 6
    assert short.drawn is None


def test_wrong_options_are_refused() -> None:
    for wrong in ({"learner": "magic"}, {"rules": ("magic",)}, {"repeats": 0}):
        with pytest.raises(WorkbenchError):
            SimulationOptions(**wrong)
    with pytest.raises(WorkbenchError):
        SimulationOptions(goal=StoppingGoal(recall=2))


def collection(folder: Path, qrels: str, fewest: int) -> tuple[Vectors, tuple[JudgedTopic, ...]]:
    with (folder / "docs.jsonl").open("rb") as stream:
        vectors = vectors_of(read_documents(stream, source="docs.jsonl"))
    with (folder / "topics.jsonl").open("rb") as stream:
        topics = read_topics(stream, source="topics.jsonl")
    with (folder / qrels).open("rb") as stream:
        return vectors, judged_topics(vectors, topics, read_qrels(stream, source=qrels), fewest=fewest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "qrels", "fewest"), [("cranfield", "qrels.txt", 10), ("cf", "qrels.any.txt", 20)]
)
def test_reading_takes_no_more_effort_than_the_reference(name: str, qrels: str, fewest: int) -> None:
    case = cases("71_search_learning.json")[f"active_learning_baseline_{name}"]
    vectors, topics = collection(shared("data", name), qrels, fewest)
    assert len(topics) == case["input"]["topics"]
    found = simulate(vectors, topics, SimulationOptions(repeats=SEEDS))
    measures = {one.measure: one.value for one in found.measures()}
    for recall in ("0.8", "0.9"):
        assert measures[f"effort@{recall}"] <= case["expected"]["mean_effort_at_recall"][recall]
    for multiple, at in (("2R", "2R"), ("4R", "4R")):
        assert measures[f"recall@{multiple}"] >= case["expected"]["mean_recall_at"][at] - 0.02
