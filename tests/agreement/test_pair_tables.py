"""The tables of every two assessors are those counted one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tests.agreement.made import ratings
from workbench.agreement import ratings as ratings_module
from workbench.agreement.contingency import table_of_codes
from workbench.agreement.ratings import Ratings, pair_tables, ratings_of


@given(data=ratings())
def test_every_table_is_that_of_the_pairs_that_both_judged(data: Ratings) -> None:
    tables = pair_tables(data)
    for one in range(data.n_assessors):
        for other in range(data.n_assessors):
            both = data.only([one, other]).with_all().codes
            wanted = table_of_codes(both[0], both[1], size=len(data.categories))
            assert tables[one, other].tolist() == wanted.tolist()


def test_many_pairs_are_counted_piece_by_piece() -> None:
    n = ratings_module._COLUMNS + 5
    data = ratings_of([np.arange(n) % 2, np.arange(n) % 3 % 2], categories=(0, 1))
    first, second = np.arange(n) % 2, np.arange(n) % 3 % 2
    wanted = [[int(((first == k) & (second == m)).sum()) for m in (0, 1)] for k in (0, 1)]
    assert pair_tables(data)[0, 1].tolist() == wanted
