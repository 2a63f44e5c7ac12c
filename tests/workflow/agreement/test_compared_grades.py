"""Which grades a report on agreement compares."""

from __future__ import annotations

import pytest

from tests.builders import campaign_with_people
from workbench.errors import InvalidInput
from workbench.storage.engine import Database
from workbench.workflow.agreement.compared_grades import ComparedGrades, compared_grades


def test_grades_are_compared_as_they_are_or_as_relevant_and_not() -> None:
    graded, binary = ComparedGrades((3, 2, 0), 2, True), ComparedGrades((3, 2, 0), 2, False)
    assert (graded.categories, graded.lowest_relevant) == ((3, 2, 0), 2)
    assert (binary.categories, binary.lowest_relevant) == ((1, 0), 1)
    assert [graded.category(grade) for grade in (3, 2, 0)] == [3, 2, 0]
    assert [binary.category(grade) for grade in (3, 2, 0)] == [1, 1, 0]
    assert [graded.relevant(grade) for grade in (3, 2, 0)] == [True, True, False]


@pytest.mark.parametrize("line", [0, 3, -1])
def test_a_line_with_nothing_on_one_side_is_refused_with_those_that_can_be(
    sqlite_database: Database, line: int
) -> None:
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
        assert compared_grades(db, campaign, relevant_from=None, graded=False).relevant_from == 1
        with pytest.raises(InvalidInput, match=f"{line} cannot be the lowest relevant grade") as refused:
            compared_grades(db, campaign, relevant_from=line, graded=False)
    assert [one.remedy for one in refused.value.findings] == ["choose 1"]
