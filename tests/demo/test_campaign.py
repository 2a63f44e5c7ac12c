"""The demo campaign in a database."""

from __future__ import annotations

from workbench.demo.campaign import PEOPLE, SLUG, has_demo, make_demo
from workbench.storage.engine import Database
from workbench.workflow.agreement.report import agreement_of_people
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.overview.cards import campaigns_of
from workbench.workflow.overview.progress import overview
from workbench.workflow.people.accounts import account_by_login
from workbench.workflow.people.groups import groups_of
from workbench.workflow.runs.run_records import runs_of


def test_every_page_has_something_to_show(database: Database) -> None:
    with database.writing() as db:
        assert not has_demo(db)
        make_demo(db, {person.login: "no hash" for person in PEOPLE})
    with database.reading() as db:
        assert has_demo(db)
        campaign = campaign_by_slug(db, SLUG)
        state = overview(db, campaign.id)
        assert campaign.illustrative
        assert (state.topics, state.runs, state.pools, state.missing_documents) == (8, 6, 1, 0)
        assert state.documents >= 60
        assert 0 < state.judged < state.pairs
        assert state.disputed > 0
        assert {line.name: line.machine for line in state.by_assessor} == {
            "A. Marlow": False,
            "R. Quist": False,
            "overlap-judge": True,
        }
        assert any(line.unsure for line in state.by_assessor)
        assert any(line.cannot_judge for line in state.by_assessor)
        people = agreement_of_people(db, campaign.id)
        assert people.names == ("A. Marlow", "R. Quist")
        assert people.together.value is not None
        marlow = account_by_login(db, "marlow")
        assert left_to_judge(db, campaign.id, marlow.id) > 0
        assert [card.slug for card in campaigns_of(db, marlow.id)] == [SLUG]
        groups = groups_of(db, campaign.id)
        assert [(group.name, group.runs) for group in groups] == [
            ("Harbour Library", 3), ("Lantern Society", 1), ("Tidewater College", 2),
        ]  # fmt: skip
        assert [person.login for group in groups for person in group.members] == ["sorrel"]
        lines = runs_of(db, campaign.id)
        assert {line.metadata.kind for line in lines} == {"automatic"}
        assert all(line.metadata.description and line.metadata.priority for line in lines)
