"""Drafts of topics without pages: the command that lists them, and what a person's erasure leaves."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from tests.cast import assemble
from tests.searches import stored_search
from workbench.cli.main import workbench
from workbench.errors import Conflict
from workbench.records import FOUR_GRADES
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import change_campaign
from workbench.workflow.people.administration import disable_account
from workbench.workflow.searching.draft_judgments import DraftAnswer, judge_for_draft
from workbench.workflow.searching.searches import Searcher
from workbench.workflow.searching.topic_drafts import (
    TopicStatement,
    begin_draft,
    change_statement,
    draft_row,
    set_draft_aside,
    topic_drafts,
)
from workbench.workflow.upkeep.erasure import erase_person


def made(database: Database) -> tuple[int, int]:
    """A draft of Ada with one relevant document: the campaign and the number of her account."""
    cast = assemble(database)
    ada = cast.accounts["Ada"].id
    with database.writing() as db:
        number = begin_draft(db, cast.campaign_id, ada, "a-draft-of-ada")
        change_statement(db, cast.campaign_id, number, ada, TopicStatement("Tides", "What Ada seeks"))
        searcher = Searcher(cast.campaign_id, "", ada, draft_id=draft_row(db, cast.campaign_id, number).id)
        search = stored_search(db, searcher, ["d1", "d2"])
        judge_for_draft(db, searcher, number, search, DraftAnswer("d2", 3, "one-judgment"))
    return cast.campaign_id, ada


def test_the_command_lists_drafts_with_what_was_judged(sqlite_database: Database) -> None:
    made(sqlite_database)
    address = ["--database", sqlite_database.url]
    said = CliRunner().invoke(workbench, ["campaign", "topic-drafts", "harbour", *address])
    assert said.exit_code == 0, said.output
    assert "1 of 1" in said.output
    listed = CliRunner().invoke(workbench, ["campaign", "topic-drafts", "harbour", "--json", *address])
    (line,) = json.loads(listed.output)
    assert (line["number"], line["author"], line["title"], line["judged"]) == (1, "Ada", "Tides", 1)


def test_a_draft_outlives_the_name_of_its_author(sqlite_database: Database) -> None:
    campaign_id, ada = made(sqlite_database)
    with sqlite_database.writing() as db:
        disable_account(db, ada)
    erased = erase_person(sqlite_database, ada, typed_login="ada")
    # Where the statement names the person is told, as of every text that people write.
    assert ("topic_draft.description", 1) in erased.mentions
    with sqlite_database.reading() as db:
        (draft,) = topic_drafts(db, campaign_id)
    assert (draft.author, draft.progress.relevant) == (f"Erased account {ada}", 1)


def test_grades_keep_their_values_once_a_draft_has_some(sqlite_database: Database) -> None:
    campaign_id, _ = made(sqlite_database)
    fewer = replace(FOUR_GRADES, grades=FOUR_GRADES.grades[:-1])
    with pytest.raises(Conflict), sqlite_database.writing() as db:
        change_campaign(db, campaign_id, name="Harbour", guidelines="", scale=fewer)


def test_a_draft_that_is_put_aside_twice_keeps_who_did_it_and_why(sqlite_database: Database) -> None:
    campaign_id, ada = made(sqlite_database)
    with sqlite_database.writing() as db:
        row = draft_row(db, campaign_id, 1, writing=True)
        for _ in range(2):
            set_draft_aside(db, row, " too  few ", by=ada)
        with pytest.raises(Conflict):
            set_draft_aside(db, row, "another reason", by=ada)
        assert (row.state, row.reason) == ("aside", "too few")
