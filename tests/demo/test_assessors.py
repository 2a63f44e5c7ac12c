"""The simulated judgments: repeatable, plausibly at odds, and only of a part of the pool."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from workbench.demo.campaign import MARLOW, OVERLAP_JUDGE, QUIST, Pair, demo_judgments
from workbench.demo.collection import demo_runs, demo_topics
from workbench.errors import NotFound, WorkbenchError
from workbench.ranking import top
from workbench.records import Judgment, sorted_ids


@cache
def pool() -> tuple[Pair, ...]:
    return tuple(
        (topic.id, docno)
        for topic in demo_topics()
        for docno in sorted_ids({d for run in demo_runs() for d in top(run.rankings[topic.id], 15)})
    )


def by_pair(judgments: tuple[Judgment, ...], assessor: str) -> dict[Pair, Judgment]:
    return {(j.topic, j.docno): j for j in judgments if j.assessor == assessor}


def kappa(judgments: tuple[Judgment, ...], first: str, second: str) -> float:
    """Cohen's kappa over the pairs that both have graded, (observed - expected) / (1 - expected)."""
    one, other = by_pair(judgments, first), by_pair(judgments, second)
    grades = [(one[pair].grade, other[pair].grade) for pair in one.keys() & other.keys()]
    grades = [(a, b) for a, b in grades if a is not None and b is not None]
    rows, columns = Counter(a for a, _ in grades), Counter(b for _, b in grades)
    observed = sum(a == b for a, b in grades) / len(grades)
    expected = sum(rows[grade] * columns[grade] for grade in rows) / len(grades) ** 2
    return (observed - expected) / (1 - expected)


def test_judgments_are_the_same_each_time_and_differ_by_seed() -> None:
    assert demo_judgments(pool(), seed=5) == demo_judgments(pool(), seed=5)
    assert demo_judgments(pool(), seed=5) != demo_judgments(pool(), seed=6)


def test_a_judgment_does_not_depend_on_the_other_pairs() -> None:
    whole = {(j.assessor, j.topic, j.docno): j for j in demo_judgments(pool(), share=1)}
    for part in (demo_judgments(pool()[::-1]), demo_judgments(pool()[:20], share=1)):
        assert all(whole[j.assessor, j.topic, j.docno] == j for j in part)


@pytest.mark.parametrize("given", [{}, {"seed": 1, "share": 1}, {"seed": 2, "share": 1}])
def test_two_people_agree_substantially_but_not_perfectly(given: dict[str, Any]) -> None:
    judgments = demo_judgments(pool(), **given)
    assert 0.6 <= kappa(judgments, MARLOW.name, QUIST.name) <= 0.8


def test_the_machine_agrees_with_nobody_very_well() -> None:
    judgments = demo_judgments(pool(), share=1)
    for person in (MARLOW, QUIST):
        assert 0.05 < kappa(judgments, person.name, OVERLAP_JUDGE.name) < 0.4


def test_by_default_one_topic_is_completed_some_are_begun_and_some_are_not() -> None:
    judgments = demo_judgments(pool())
    wanted = Counter(topic for topic, _ in pool())
    for person in (MARLOW, QUIST):
        done = Counter(topic for topic, _ in by_pair(judgments, person.name))
        assert done["T01"] == wanted["T01"]
        assert all(0 < done[topic] < wanted[topic] for topic in ("T02", "T03", "T04", "T05"))
        assert not any(done[topic] for topic in ("T06", "T07", "T08"))
    touched = {judgment.topic for judgment in judgments}
    assert touched == {"T01", "T02", "T03", "T04", "T05"}


def test_what_the_demo_cannot_judge_is_refused() -> None:
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(WorkbenchError, match="share"):
            demo_judgments(pool(), share=share)
    for pair in (("T99", "ALM-0001"), ("T01", "ALM-9999")):
        with pytest.raises(NotFound, match="the demo has no pair"):
            demo_judgments([pair])
