"""The tables of every two assessors are those counted one by one."""

from __future__ import annotations

from hypothesis import given

from tests.agreement.made import ratings
from workbench.agreement.ratings import Ratings, pair_tables, table_of_codes


@given(data=ratings())
def test_every_table_is_that_of_the_pairs_that_both_judged(data: Ratings) -> None:
    tables = pair_tables(data)
    for one in range(data.n_assessors):
        for other in range(data.n_assessors):
            both = data.only([one, other]).with_all().codes
            wanted = table_of_codes(both[0], both[1], size=len(data.categories))
            assert tables[one, other].tolist() == wanted.tolist()
