"""Preferences between two: documents ranked by topic, and two assessors on the same pairs."""

from __future__ import annotations

import pytest

from workbench.agreement.preferences import assessors_compared, rankings
from workbench.records import Preference


def of(assessor: str, *answers: tuple[str, str, str]) -> list[Preference]:
    return [Preference(assessor, "T1", *one) for one in answers]


def test_documents_are_ranked_by_the_share_of_comparisons_won_with_their_number() -> None:
    # a beats b twice and c; c and b tie; b and d are both bad; the pairs a-d and c-d have no answer.
    # By hand: a 3 of 3; d 1/2 of 1; c (0 + 1/2) of 2; b (1/2 + 1/2) of 4.
    given = of("Ada", ("a", "b", "first"), ("c", "a", "second"), ("b", "c", "tie"), ("d", "b", "both_bad"))
    given += of("Ben", ("b", "a", "second"))
    (topic,) = rankings(given)
    assert (topic.comparisons, topic.decided, topic.compared, topic.possible) == (5, 3, 4, 6)
    assert [(one.rank, one.docno, one.score, one.comparisons) for one in topic.documents] == [
        (1, "a", 1.0, 3),
        (2, "d", 0.5, 1),
        (3, "b", 0.25, 4),
        (3, "c", 0.25, 2),
    ]
    assert topic.caution == "too few: 3 decided, at least 6 needed"


def test_an_order_is_uncertain_where_not_every_two_were_compared() -> None:
    answers = (("a", "b", "first"), ("a", "c", "first"), ("b", "c", "first"))
    whole = of("Ada", *answers) + of("Ben", *answers)
    (topic,) = rankings(whole)
    assert topic.caution == ""
    (topic,) = rankings([*whole, *of("Ada", ("d", "a", "tie"))])
    assert topic.caution == "only 4 of 6 pairs compared, so documents met different opponents"


def test_two_assessors_are_compared_on_their_common_pairs_whichever_is_named_first() -> None:
    ada = of("Ada", ("a", "b", "first"), ("a", "c", "first"), ("b", "c", "tie"), ("d", "e", "second"))
    ada += of("Ada", ("a", "e", "tie"))
    # Ben has the first two pairs the other way round; he differs on the second.
    ben = of("Ben", ("b", "a", "second"), ("c", "a", "first"), ("b", "c", "tie"), ("d", "e", "second"))
    (two,) = assessors_compared(ada + ben)
    assert (two.first, two.second, two.n, two.same, two.opposite) == ("Ada", "Ben", 4, 3, 1)
    assert two.too_few
    # By hand: decided 3/4 each, halved: 9/32; ties 1/4 each: 1/16; (3/4 - 11/32) / (1 - 11/32) = 13/21.
    assert two.kappa == pytest.approx(13 / 21)
    # Wilson by hand: (.75 + 3.84146/8) / (1 + 3.84146/4) = .627527, 1.959964 x .326952 / 1.960365 = .326885.
    assert two.interval == pytest.approx((0.627527 - 0.326885, 0.627527 + 0.326885), abs=2e-6)
    assert assessors_compared(of("Cleo", ("a", "b", "tie")) + of("Dan", ("a", "c", "tie"))) == ()
    (same,) = assessors_compared(of("Cleo", ("a", "b", "tie")) + of("Dan", ("a", "b", "tie")))
    assert (same.share, same.kappa) == (1.0, None)
