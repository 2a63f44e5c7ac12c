"""Strata: how they are written and how many documents of each are drawn."""

from __future__ import annotations

import pytest

from workbench.pooling.sampling import STRATA, Stratum, accept_strata, sample_sizes


@pytest.mark.parametrize(
    ("text", "strata"),
    [
        ("1:10:1", (Stratum(1, 10, 1.0),)),
        ("1:10:1 11:100:.1", (Stratum(1, 10, 1.0), Stratum(11, 100, 0.1))),
        ("1:20:1,21:1500", (Stratum(1, 20, 1.0), Stratum(21, 1500))),
        # A gap, as in the documentation of make-pools.pl: to depth 50, then from rank 400.
        ("1:50:1 400:2000:1e-1", (Stratum(1, 50, 1.0), Stratum(400, 2000, 0.1))),
    ],
)
def test_strata_are_read_from_text_and_written_so_that_they_read_back(
    text: str, strata: tuple[Stratum, ...]
) -> None:
    assert accept_strata(text) == strata
    assert accept_strata(strata) == strata
    assert accept_strata(STRATA.write(strata)) == strata


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no stratum"),
        ("100", "100 is not from:to:rate"),
        ("1:10:1:2", "1:10:1:2 is not from:to:rate"),
        ("1:10:-1", "1:10:-1 is not from:to:rate"),
        ("0:10:1", "0:10:1 is not a range of ranks"),
        ("10:1:1", "10:1:1 is not a range of ranks"),
        ("1:10:0", "the rate of 1:10:0 is not above 0 and at most 1"),
        ("1:10:1.5", "the rate of 1:10:1.5 is not above 0 and at most 1"),
        ("1:10:1 10:20:1", "10:20:1 does not begin after 1:10:1"),
        ("11:20:1 1:10:1", "1:10:1 does not begin after 11:20:1"),
        ("1:10 11:20", "more than one stratum has no rate"),
    ],
)
def test_strata_that_cannot_be_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        accept_strata(text)


@pytest.mark.parametrize("given", [None, 3, [], ["1:10:1"]])
def test_what_is_no_list_of_strata_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match=r"^$|there is no stratum"):
        accept_strata(given)


@pytest.mark.parametrize(
    ("text", "sizes", "budget", "counts"),
    [
        ("1:10:1 11:100:.1", [12, 84], 0, [12, 8]),
        # Halves go up, in decimal: .15 x 10 = 1.5 although the double .15 is below it; .25 x 10 = 2.5.
        ("1:1:.15 2:2:.25", [10, 10], 0, [2, 3]),
        # At least one of each stratum that has any.
        ("1:1:.01 2:2:.01", [3, 0], 0, [1, 0]),
        # The budget is spent in order.
        ("1:10:1 11:100:.5 101:200:.5", [12, 20, 20], 25, [12, 10, 3]),
        ("1:10:1 11:100:.5", [12, 20], 10, [10, 0]),
        # What is left goes to the stratum without a rate, but not more than it has.
        ("1:10:1 11:100 101:200:.5", [12, 50, 20], 40, [12, 18, 10]),
        ("1:10:1 11:100", [12, 5], 40, [12, 5]),
        ("1:10", [12], 5, [5]),
    ],
)
def test_sizes_of_samples_by_hand(text: str, sizes: list[int], budget: int, counts: list[int]) -> None:
    assert sample_sizes(accept_strata(text), sizes, budget) == counts
