"""Agreement of a campaign: the textbook's table, and who is included."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import Made, campaign_with_people
from workbench.agreement.options import AgreementOptions
from workbench.records import Judgment, Topic
from workbench.workflow.agreement.report import (
    agreement_of_people,
    campaign_pair,
)
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.importing import import_judgments

PLAIN = AgreementOptions()


def manning(db: Session) -> Made:
    """Manning, Raghavan and Schuetze 2008, Table 8.2: 300 both relevant, 20 and 10 by one, 70 by neither.

    The documents go to eight topics in turn.
    """
    made = campaign_with_people(db)
    more = [Topic(f"T{number}", "more") for number in range(3, 9)]
    load_topics(db, made.campaign.id, more, source="topics")
    cells = [(1, 1)] * 300 + [(1, 0)] * 20 + [(0, 1)] * 10 + [(0, 0)] * 70
    judgments = [
        Judgment(f"Judge {judge + 1}", f"T{number % 8 + 1}", f"x{number}", grades[judge])
        for judge in (0, 1)
        for number, grades in enumerate(cells)
    ]
    import_judgments(db, made.campaign.id, judgments, source="manning.tsv")
    return made


def test_the_textbooks_table_gives_the_textbooks_figures(db: Session) -> None:
    made = manning(db)
    found = campaign_pair(db, made.campaign.id, PLAIN, first="Judge 1", second="Judge 2")
    two = found.two
    people = agreement_of_people(db, made.campaign.id)
    assert two.table == ((300, 20), (10, 70))
    assert two.estimate("observed").value == pytest.approx(0.925)
    # Printed: .665 and .776. Exact, by hand: pooled marginal of relevant (320 + 310) / 800 = .7875, so
    # P(E) = .7875^2 + .2125^2 = .6653125; unpooled .8 x .775 + .2 x .225 = .665.
    assert two.estimate("pooled").found.expected == pytest.approx(0.6653125)
    assert two.estimate("pooled").value == pytest.approx((0.925 - 0.6653125) / (1 - 0.6653125))
    assert two.estimate("unpooled").found.expected == pytest.approx(0.665)
    assert two.estimate("unpooled").value == pytest.approx((0.925 - 0.665) / (1 - 0.665))
    assert people.together.value == pytest.approx(two.estimate("pooled").value)
    assert (found.shared.both, len(found.disagreed)) == (400, 30)
