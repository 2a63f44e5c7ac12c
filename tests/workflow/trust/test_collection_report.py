"""The report on a collection: its figures by hand, what it concludes, and what it does not know."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

from tests.builders import campaign_with_people, pooled_campaign
from tests.moments import at
from tests.workflow.trust.test_report import BOTH
from workbench.consensus.rules import rule_choice
from workbench.storage.engine import Database
from workbench.texts import escaped
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.trust.collection_report import (
    CollectionReport,
    NotKnown,
    SizeRange,
    collection_report,
    decimals,
    report_markdown,
    words_in,
)

ANY = rule_choice("any")
AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def reported(database: Database, *, judged: bool = True) -> CollectionReport:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign = made.campaign.id
        if judged:
            import_judgments(db, campaign, BOTH, source="f")
        with at(AT):
            return collection_report(db, campaign, choice=ANY, measure="AP")


def conclusions(report: CollectionReport) -> list[str]:
    """The sentences about what may be concluded."""
    _, _, rest = report_markdown(report).partition("## What may and may not be concluded\n\n")
    return rest.partition("\n\n")[0].splitlines()


def test_figures_of_a_small_collection_are_those_counted_by_hand(sqlite_database: Database) -> None:
    found = reported(sqlite_database)
    # By any, T1 has d1 and d2 relevant and d/4 not, T2 both of its two judged documents.
    assert found.size.judged == SizeRange(2, 2.5, 2.5, 2, 3)
    assert found.size.relevant == SizeRange(2, 2.0, 2.0, 2, 2)
    assert found.size.without_relevant == 0
    assert found.size.listed is None
    assert (found.runs, found.groups, len(found.pools)) == (2, 0, 1)
    assert [(one.name, one.grades, one.unsure) for one in found.assessors] == [("X", 5, 0), ("Y", 3, 0)]
    # Both judged d2 of T1 and both documents of T2.
    assert (found.graded, found.shared) == (5, 3)
    assert (found.coverage.pairs, found.coverage.pooled) == (5, 6)


def test_what_is_not_known_has_its_reason(sqlite_database: Database) -> None:
    found = reported(sqlite_database)
    assert isinstance(found.topics, NotKnown)
    assert escaped(found.topics.reason) in report_markdown(found)


def test_without_judgments_there_is_a_report_of_what_there_is(sqlite_database: Database) -> None:
    found = reported(sqlite_database, judged=False)
    assert found.size.relevant == SizeRange(0, 0.0, 0.0, 0, 0)
    assert found.assessors == ()
    unknown = (found.agreement, found.trust, found.depth, found.holes, found.topics)
    assert all(isinstance(one, NotKnown) for one in unknown)
    assert report_markdown(found).startswith("# ")


def test_a_campaign_without_anything_has_a_report(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
        found = collection_report(db, campaign, choice=ANY, measure="AP")
    assert found.pools == ()
    assert len(conclusions(found)) >= 5


def test_every_row_has_as_many_cells_as_its_table(sqlite_database: Database) -> None:
    found = replace(reported(sqlite_database), name="A | B\n# C")
    text = report_markdown(found)
    assert text.splitlines()[0].endswith(r": A \| B \# C")
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert len(tables) >= 6
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def test_equivalent_rankings_of_few_shared_pairs_are_no_evidence(sqlite_database: Database) -> None:
    found = reported(sqlite_database)
    whole = replace(found, shared=found.graded)
    # One sentence more where only a part was judged twice: that tau is too high.
    assert len(conclusions(found)) == len(conclusions(whole)) + 1


def test_words_are_counted_without_tags_and_figures_have_a_true_minus() -> None:
    assert words_in("<p>one two</p>three &lt; 4") == 5
    assert words_in("3 < 4") == 3
    assert (decimals(-0.04, 1), decimals(-0.06, 1)) == ("0.0", "−0.1")
