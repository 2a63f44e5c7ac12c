"""What searching found that no run had, and the scores without it: in a campaign and at the terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cast import Cast, assemble
from tests.searches import stored_search
from workbench.cli.main import workbench
from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.records import Answer, Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.scores.score_table import score_runs
from workbench.workflow.searching.found import add_found
from workbench.workflow.searching.report import found_by_search, table_left_out
from workbench.workflow.searching.searches import LONGEST_TYPED, Searcher

POOL = "depth 2"
# The pool of T1 has d1, d2 and d/4 by its runs. Relevant from 2.
GRADES = {"d1": 2, "d2": 0, "d6": 3, "é5": 1, "d#3": 2}


@pytest.fixture
def cast(sqlite_database: Database) -> Cast:
    return assemble(sqlite_database)


@pytest.fixture
def searched(sqlite_database: Database, cast: Cast) -> Database:
    """Olga searched T1 and added d6 and é5, and d1, which runs have; d#3 was added without a search."""
    with sqlite_database.writing() as db:
        olga = cast.accounts["Olga"].id
        who = Searcher(cast.campaign_id, "T1", olga)
        number = stored_search(db, who, ["d1", "d6", "é5", "d#3"])
        add_found(db, who, number, POOL, ["d1", "d6", "é5"])
        by_hand = Additions({"d#3": 1}, "named by a colleague")
        add_documents(db, cast.campaign_id, POOL, "T1", by_hand, added_by=olga)
        # A search that shows it later is not why it is in the pool.
        add_found(db, who, number, POOL, ["d#3"])
        judged = [Judgment("X", "T1", docno, grade) for docno, grade in GRADES.items()]
        import_judgments(db, cast.campaign_id, judged, source="f")
    return sqlite_database


def test_the_highest_current_grade_of_anybody_says_what_is_relevant(searched: Database, cast: Cast) -> None:
    def topic() -> tuple[int, int, int]:
        with searched.reading() as db:
            (one,) = found_by_search(db, cast.campaign_id).topics
        return one.judged, one.relevant, one.relevant_of_topic

    with searched.writing() as db:
        import_judgments(db, cast.campaign_id, [Judgment("M", "T1", "é5", 2)], source="g", machines=["M"])
    # X said é5 is 1, which is below 2, and a machine 2: now d6 and é5 by searching, d1 and d#3 otherwise.
    assert topic() == (2, 2, 4)
    with searched.writing() as db:
        again = [Judgment("M", "T1", "é5", 0), Judgment("M", "T1", "d2", None, Answer.UNSURE)]
        import_judgments(db, cast.campaign_id, again, source="h", machines=["M"])
    assert topic() == (2, 1, 3)


def test_scores_without_what_was_found_use_the_table_of_the_page(searched: Database, cast: Cast) -> None:
    with searched.reading() as db:
        choice = rule_choice("majority")
        table = score_runs(db, cast.campaign_id, choice=choice, measures="AP(rel=2) P(rel=2)@2")
        found = table_left_out(db, cast.campaign_id, table, "AP(rel=2)", "search")
        added = table_left_out(db, cast.campaign_id, table, "AP(rel=2)", "added")
        with pytest.raises(WorkbenchError):
            table_left_out(db, cast.campaign_id, table, "AP(rel=2)", "everything")
    of_page = {one.tag: one.values["AP(rel=2)"] for one in table.runs}
    assert {one.run: one.score for one in found.runs} == pytest.approx(of_page)
    assert (found.left_out.pairs, found.left_out.relevant, found.left_out.all_relevant) == (2, 1, 3)
    assert (added.left_out.pairs, added.left_out.relevant) == (3, 2)
    # Alpha has the relevant d1, d#3 and d6 at ranks 1, 3 and 4; without d6, and without d#3 too.
    (alpha, fewer) = (next(one for one in side.runs if one.run == "alpha") for side in (found, added))
    assert alpha.score == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    assert (alpha.without, fewer.without) == pytest.approx(((1 + 2 / 3) / 2, 1.0))


def test_the_commands_print_the_same(searched: Database) -> None:
    def done(command: str, *words: str) -> Any:
        address = ("--database", searched.url)
        result = CliRunner().invoke(workbench, ["campaign", command, "harbour", *words, *address])
        assert result.exit_code == 0, result.output
        return result

    report = json.loads(done("found", "--json").stdout)
    assert [one["docno"] for one in report["documents"]] == ["d6", "é5"]
    people = done("found", "--part=people")
    assert people.stdout.splitlines()[1] == "Olga\t1\t2\t2\t1"
    assert "1 of 3 relevant documents" in people.stderr
    scores = done("score-without", "-m", "RR(rel=2)", "--leave-out=added")
    assert scores.stdout.splitlines()[1].startswith("alpha\t1.0000\t1.0000")
    assert "without 3 of 5 judged documents (2 of 3 relevant)" in scores.stderr


def test_the_reason_of_a_very_long_query_fits_a_reason(searched: Database, cast: Cast) -> None:
    with searched.writing() as db:
        who = Searcher(cast.campaign_id, "T2", cast.accounts["Olga"].id)
        number = stored_search(db, who, ["d6"], typed="x" * LONGEST_TYPED)
        add_found(db, who, number, POOL, ["d6"])
        assert found_by_search(db, cast.campaign_id).topics[1].no_run == 1
