"""A person's searches as a manual run: its order, what is left out, and that it is a run as any other."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tests.cast import Cast, assemble
from tests.searches import stored_search
from workbench.cli.main import workbench
from workbench.errors import InvalidInput, NotFound, WorkbenchError
from workbench.storage.engine import Database
from workbench.workflow.runs.run_checks import run_checker
from workbench.workflow.runs.run_metadata import RunKind
from workbench.workflow.runs.run_records import campaign_run
from workbench.workflow.runs.store import store_run
from workbench.workflow.searching.joining import add_found
from workbench.workflow.searching.searches import Searcher, SearchHappening
from workbench.workflow.searching.session_run import (
    SessionEvent,
    checked_session_run,
    search_session,
    searchers,
    session_topic,
)

OPENED, JUDGED, ADDED = SearchHappening.OPENED, SearchHappening.JUDGED, SearchHappening.ADDED
TOPIC = ("T1", "tides")


def events(*pairs: tuple[str, SearchHappening]) -> list[SessionEvent]:
    return [SessionEvent(*pair) for pair in pairs]


def test_relevant_comes_before_opened_before_shown_each_in_its_own_order() -> None:
    # Two searches; b at rank 2 of the first comes before c at rank 2 of the second.
    shown = [["a", "b", "c", "d"], ["e", "c", "a"]]
    reading = [("d", OPENED), ("d", JUDGED), ("a", OPENED), ("b", OPENED), ("b", JUDGED)]
    happened = events(*reading, ("a", OPENED), ("e", OPENED))
    found = session_topic(TOPIC, shown, happened, {"d": True, "b": True})
    assert (found.relevant, found.opened, found.shown) == (("d", "b"), ("a", "e"), ("c",))
    assert found.docnos == ("d", "b", "a", "e", "c")
    unread = session_topic(TOPIC, shown, [], {})
    assert unread.docnos == ("a", "e", "b", "c", "d")


def test_what_is_judged_not_relevant_is_left_out_wherever_it_was_judged() -> None:
    # b on the page of searches, c at the desk, and z was never shown.
    happened = events(("b", OPENED), ("b", JUDGED), ("a", ADDED))
    found = session_topic(TOPIC, [["a", "b", "c", "d"]], happened, {"b": False, "c": False, "z": False})
    assert (found.docnos, found.left_out) == (("a", "d"), 2)


def test_the_last_grade_counts_and_a_judgment_without_a_grade_was_only_read() -> None:
    happened = events(("a", JUDGED), ("b", JUDGED), ("c", ADDED))
    # First judged relevant, later not; b is unsure; what was added and then judged not relevant is out too.
    found = session_topic(TOPIC, [["a", "b", "c", "d"]], happened, {"a": False, "c": False})
    assert (found.relevant, found.opened, found.shown, found.left_out) == ((), ("b",), ("d",), 2)


@pytest.fixture
def cast(sqlite_database: Database) -> Cast:
    return assemble(sqlite_database)


@pytest.fixture
def searched(sqlite_database: Database, cast: Cast) -> Database:
    """Olga searched T1 and added d6, of four documents that she saw."""
    with sqlite_database.writing() as db:
        who = Searcher(cast.campaign_id, "T1", cast.accounts["Olga"].id)
        number = stored_search(db, who, ["d1", "d6", "é5", "d#3"])
        add_found(db, who, number, "depth 2", ["d6"])
    return sqlite_database


def test_a_session_passes_the_checks_of_any_run(searched: Database, cast: Cast) -> None:
    with searched.writing() as db:
        (line,) = searchers(db, cast.campaign_id)
        assert (line.name, line.searches, line.topics) == ("Olga", 1, 1)
        session = search_session(db, cast.campaign_id, line.account_id)
        upload = checked_session_run(run_checker(db, cast.campaign_id), session, "by-olga")
        assert upload.report.tag == "by-olga"
        store_run(db, cast.campaign_id, upload)
        # The tag is taken now, as it would be for any file.
        again = checked_session_run(run_checker(db, cast.campaign_id), session, "by-olga")
        with pytest.raises(InvalidInput):
            store_run(db, cast.campaign_id, again)
    with searched.reading() as db:
        stored = campaign_run(db, cast.campaign_id, "by-olga")
        assert (stored.topics, stored.lines) == (1, 4)


def test_a_tag_that_cannot_be_one_and_a_person_who_never_searched_are_refused(
    searched: Database, cast: Cast
) -> None:
    with searched.reading() as db:
        session = search_session(db, cast.campaign_id, cast.accounts["Olga"].id)
        for tag in ("", "two words"):
            with pytest.raises(WorkbenchError):
                checked_session_run(run_checker(db, cast.campaign_id), session, tag)
        with pytest.raises(NotFound):
            search_session(db, cast.campaign_id, cast.accounts["Vera"].id)


def test_the_command_saves_the_run_and_says_what_is_in_it(searched: Database, cast: Cast) -> None:
    login = cast.accounts["Olga"].login
    words = ["campaign", "search-run", "harbour", login, "--tag=m1", "--database", searched.url]
    done = CliRunner().invoke(workbench, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1] == "T1\t1\t0\t3\t0"
    with searched.reading() as db:
        stored = campaign_run(db, cast.campaign_id, "m1")
    assert stored.metadata.kind is RunKind.MANUAL
    assert "1 search for 1 topic" in stored.metadata.description
