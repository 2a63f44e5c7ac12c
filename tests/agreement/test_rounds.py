"""Two rounds of the same assessors: by hand, and the published round of the NYT pilot."""

from __future__ import annotations

import pytest

from tests.support import shared
from workbench.agreement.rounds import compare_rounds, counts_of
from workbench.formats.judgments import read_judgments

Grades = dict[str, dict[tuple[str, str], int]]


def grades(**by_assessor: tuple[int, ...]) -> Grades:
    return {
        name: {("1", f"d{place}"): grade for place, grade in enumerate(given)}
        for name, given in by_assessor.items()
    }


def test_changes_are_counted_with_their_direction_and_agreement_is_told_twice() -> None:
    before = grades(ann=(0, 1, 2, 2), bea=(0, 0, 2, 0))
    after = grades(ann=(0, 1, 2, 1), bea=(0, 1, 2, 1))
    found = compare_rounds(before, after, categories=(0, 1, 2), relevant_from=1)
    assert (found.pairs, found.labels, found.changed) == (4, 8, 3)
    assert [(one.assessor, one.raised, one.lowered) for one in found.assessors] == [
        ("ann", 0, 1),
        ("bea", 2, 0),
    ]
    # Two of four agreed before, all after; relevant or not: 0 1 1 1 against 0 0 1 0 before.
    assert (found.graded[0].before.value, found.graded[0].after.value) == (0.5, 1.0)
    assert (found.binary[0].before.value, found.binary[0].after.value) == (0.5, 1.0)


def test_every_round_holds_all_that_was_said_in_it_and_what_was_withdrawn_or_added_is_counted() -> None:
    found = compare_rounds(
        grades(ann=(0, 1), bea=(1, 1)), grades(ann=(0, 1, 2), bea=(0,)), categories=(0, 1, 2), relevant_from=1
    )
    counts = [(one.assessor, *counts_of(one)) for one in found.assessors]
    assert counts == [("ann", 2, 2, 0, 0, 0, 0, 1), ("bea", 2, 0, 1, 0, 1, 1, 0)]
    assert (found.pairs, found.labels, found.changed, found.withdrawn) == (2, 4, 1, 1)
    # Before they agreed on one of two pairs; after on the one that both still grade.
    assert [(one.value, one.n) for one in (found.graded[0].before, found.graded[0].after)] == [
        (0.5, 2),
        (1, 1),
    ]


def test_the_published_round_of_the_nyt_pilot() -> None:
    # CATALOGUE.md: 34 of 360 labels changed; Fleiss' kappa .485 before, .675 after.
    folder = shared("data", "nyt-core17-pilot")
    rounds: list[Grades] = []
    for name in ("before", "after"):
        given: Grades = {}
        with (folder / f"judgments.reviewers_{name}.tsv").open("rb") as stream:
            for one in read_judgments(stream, source=name):
                assert one.grade is not None
                given.setdefault(one.assessor, {})[one.topic, one.docno] = one.grade
        rounds.append(given)
    found = compare_rounds(*rounds, categories=(0, 1, 2), relevant_from=1)
    assert (found.pairs, found.labels, found.changed) == (120, 360, 34)
    fleiss = next(one for one in found.graded if one.name == "pooled")
    assert fleiss.before.value == pytest.approx(0.485, abs=0.0005)
    assert fleiss.after.value == pytest.approx(0.675, abs=0.0005)
