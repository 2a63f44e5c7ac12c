"""The simulated judgments: repeatable, plausibly at odds, and only of a part of the pool."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from workbench.demo.campaign import DEMO_ASSESSORS, MARLOW, OVERLAP_JUDGE, QUIST, Pair, demo_judgments
from workbench.demo.collection import CAMPAIGN_SCALE, demo_runs, demo_topics
from workbench.errors import NotFound, WorkbenchError
from workbench.ranking import top
from workbench.records import Answer, Judgment, sorted_ids


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


def test_the_judgments_of_an_assessor_follow_the_order_of_the_pairs() -> None:
    given = pool()[::-1]
    for assessor in DEMO_ASSESSORS:
        judged = list(by_pair(demo_judgments(given), assessor.name))
        assert judged == [pair for pair in given if pair in set(judged)]


@pytest.mark.parametrize("seed", range(1, 9))
def test_two_people_agree_substantially_but_not_perfectly(seed: int) -> None:
    judgments = demo_judgments(pool(), seed=seed, share=1)
    assert 0.6 <= kappa(judgments, MARLOW.name, QUIST.name) <= 0.8


def test_at_the_default_seed_and_share_the_people_agree_substantially() -> None:
    assert 0.6 <= kappa(demo_judgments(pool()), MARLOW.name, QUIST.name) <= 0.8


def test_the_machine_agrees_with_nobody_very_well() -> None:
    judgments = demo_judgments(pool(), share=1)
    for person in (MARLOW, QUIST):
        assert 0.05 < kappa(judgments, person.name, OVERLAP_JUDGE.name) < 0.4


def test_some_answers_are_no_grades() -> None:
    answers = Counter(judgment.answer for judgment in demo_judgments(pool()))
    assert answers[Answer.UNSURE] >= 1
    assert answers[Answer.CANNOT_JUDGE] >= 1
    for judgment in demo_judgments(pool(), share=1):
        assert (judgment.grade is None) == (judgment.answer is not Answer.GRADE)


def test_grades_are_on_the_scale_and_each_occurs() -> None:
    for assessor in DEMO_ASSESSORS:
        judged = by_pair(demo_judgments(pool(), share=1), assessor.name).values()
        grades = {judgment.grade for judgment in judged} - {None}
        assert grades == {grade.value for grade in CAMPAIGN_SCALE.grades}


def test_only_the_machine_is_marked_as_one_and_it_always_grades() -> None:
    assert [assessor.name for assessor in DEMO_ASSESSORS if assessor.machine] == ["overlap-judge"]
    judged = by_pair(demo_judgments(pool(), share=1), OVERLAP_JUDGE.name).values()
    assert all(judgment.answer is Answer.GRADE for judgment in judged)


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


def test_in_a_topic_under_way_the_slower_person_has_judged_a_part_of_what_the_other_has() -> None:
    judgments = demo_judgments(pool())
    marlow, quist = by_pair(judgments, MARLOW.name), by_pair(judgments, QUIST.name)
    assert quist.keys() < marlow.keys()


@pytest.mark.parametrize(("share", "expected"), [(0, 0), (1, 1)])
def test_a_share_of_none_judges_nothing_and_a_share_of_one_everything(share: float, expected: int) -> None:
    assert len(demo_judgments(pool(), share=share)) == expected * 3 * len(pool())


def test_a_pair_given_twice_is_judged_once() -> None:
    assert demo_judgments(pool() + pool(), share=1) == demo_judgments(pool(), share=1)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_zero_to_one_is_refused(share: float) -> None:
    with pytest.raises(WorkbenchError, match="share"):
        demo_judgments(pool(), share=share)


@pytest.mark.parametrize("pair", [("T99", "ALM-0001"), ("T01", "ALM-9999")])
def test_a_pair_that_the_demo_does_not_have_is_refused(pair: Pair) -> None:
    with pytest.raises(NotFound, match="the demo has no pair"):
        demo_judgments([pair])
