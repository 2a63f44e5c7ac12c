from __future__ import annotations

import pytest

from workbench.errors import InvalidInput
from workbench.pooling.cost import Work


def test_hours_are_pairs_times_judgments_times_seconds_shared_evenly() -> None:
    # 600 pairs twice are 1,200 judgments; at 30 s they take 36,000 s, ten hours; of four people 2.5 each.
    work = Work(per_pair=2, assessors=4, seconds=30.0)
    assert (work.judgments(600), work.hours(600), work.hours_each(600)) == (1200, 10.0, 2.5)


@pytest.mark.parametrize(
    ("per_pair", "assessors", "seconds", "codes"),
    [
        (0, 0, 0.0, ["per_pair", "assessors", "seconds"]),
        (3, 2, 30.0, ["assessors"]),
        (1, 1, float("nan"), ["seconds"]),
        (1, 1, float("inf"), ["seconds"]),
        (1, 10_001, 1.0, ["assessors"]),
    ],
)
def test_numbers_that_cannot_be_are_told_by_their_fields(
    per_pair: int, assessors: int, seconds: float, codes: list[str]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Work(per_pair, assessors, seconds)
    assert [finding.code for finding in refused.value.findings] == codes
