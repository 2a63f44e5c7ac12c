"""Which of a campaign's ratings a report includes."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import campaign_with_people
from tests.support import shared
from workbench.agreement.alpha import alpha
from workbench.agreement.options import AgreementOptions, Basis
from workbench.errors import WorkbenchError
from workbench.formats.judgments import read_judgments
from workbench.records import FOUR_GRADES, Answer, Judgment, Topic
from workbench.workflow.agreement.selection import (
    campaign_ratings,
)
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.importing import import_judgments

GIVEN = (
    Judgment("X", "T1", "d1", 3),
    Judgment("Y", "T1", "d1", 0),
    Judgment("X", "T1", "d2", 1),
    Judgment("Y", "T1", "d2", None, Answer.UNSURE),
)


def test_what_people_said_enters_from_the_campaigns_line_on(db: Session) -> None:
    made = campaign_with_people(db, scale=FOUR_GRADES)
    import_judgments(db, made.campaign.id, GIVEN, source="people.tsv")
    found = campaign_ratings(db, made.campaign.id, AgreementOptions())
    assert [voice.name for voice in found.assessors] == ["X", "Y"]
    assert (found.pairs, found.ratings.codes.tolist()) == ((("T1", "d1"),), [[0], [1]])
    assert (found.counts.unsure, found.counts.singly) == (1, 1)
    # The six documents of the builder's campaign: d1 and d2 have answers, d2 only one that is a grade.
    every = campaign_ratings(db, made.campaign.id, AgreementOptions(basis=Basis.ALL))
    assert every.n_pairs == 5
    assert every.sentence.startswith("5 of all 6 pairs of 1 topic and 6 documents")
    with pytest.raises(WorkbenchError, match="cannot be the lowest relevant grade"):
        campaign_ratings(db, made.campaign.id, AgreementOptions(relevant_from=0))


@pytest.mark.slow
def test_an_imported_crowd_has_the_alpha_of_the_catalogue(db: Session) -> None:
    # CATALOGUE.md, without -2: .057 nominal, .100 ordinal, by the first label where a worker labelled twice.
    # In a campaign the last one holds: .0577 and .0998, as krippendorff of the test extra has them too.
    with shared("data", "trec-rf10-crowd", "judgments.tsv.gz").open("rb") as stream:
        given = tuple(read_judgments(stream, source="crowd", cannot_judge=(-2,)))
    topics = [Topic(topic, topic) for topic in dict.fromkeys(one.topic for one in given)]
    made = campaign_with_people(db, scale=FOUR_GRADES)
    load_topics(db, made.campaign.id, topics, source="topics")
    import_judgments(db, made.campaign.id, given, source="crowd")
    found = campaign_ratings(db, made.campaign.id, AgreementOptions(graded=True))
    assert len(found.assessors) >= 762
    values = {level: alpha(found.ratings, level).value for level in ("nominal", "ordinal")}
    assert values == {"nominal": pytest.approx(0.0577, abs=5e-5), "ordinal": pytest.approx(0.0998, abs=5e-5)}
