"""What was preferred side by side, by a command, in every form."""

from __future__ import annotations

import csv
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from tests.cli.executable import Terminal
from workbench.records import Answer
from workbench.storage.tables import PreferenceEventRow, PreferenceTaskRow
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.preference_tasks import compare_best, compare_runs
from workbench.workflow.judging.record import Place, append
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import assessors_of

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
# In the scale of four grades both find d1 and d2 of T1 relevant, and Ada d6 as well.
GRADES = {"Ada": {"d1": 3, "d2": 2, "d6": 2, "d#3": 0}, "Ben": {"d1": 2, "d2": 2}}


@pytest.fixture
def judged(populated: Terminal) -> Terminal:
    with populated.database() as database, database.writing() as db:
        campaign = campaign_by_slug(db, "harbour").id
        for line in assessors_of(db, campaign):
            for number, (docno, grade) in enumerate(GRADES[line.name].items()):
                said = Submission(docno, f"{line.name}-answer-{number}", answer=Answer.GRADE, grade=grade)
                append(db, Place(campaign, line.id, "T1", docno, source="desk"), said)
    return populated


def give_best(terminal: Terminal) -> None:
    """Have everybody compare the two documents of T1 that they graded best."""
    with terminal.database() as database, database.writing() as db:
        campaign = campaign_by_slug(db, "harbour").id
        ids = [one.id for one in assessors_of(db, campaign)]
        compare_best(db, campaign, ["T1"], count=2, assessor_ids=ids, seed=1)


def answer_all(terminal: Terminal, choice: str) -> None:
    """Let everybody answer every pair in the same way."""
    with terminal.database() as database, database.writing() as db:
        for task in db.scalars(select(PreferenceTaskRow)).all():
            for number, (first, second) in enumerate(task.pairs):
                db.add(
                    PreferenceEventRow(
                        task_id=task.id, first=first, second=second, first_was_left=True, choice=choice,
                        reason="clearer", client_id=f"{task.id}-{number}", active_ms=900, recorded_at=NOON,
                    )
                )  # fmt: skip


def as_csv(terminal: Terminal, *words: str) -> list[dict[str, str]]:
    printed = terminal.does("campaign", "preferences", "harbour", "--csv", *words).decode()
    return list(csv.DictReader(printed.splitlines()))


def test_answers_are_printed_as_trec_eval_reads_them_and_with_everything(judged: Terminal) -> None:
    give_best(judged)
    answer_all(judged, "first")
    # Of every decided pair the better document has 1 and the other one 0.
    assert judged.does("campaign", "preferences", "harbour").decode().splitlines() == [
        "T1 Ada 1 d1 1",
        "T1 Ada 1 d2 0",
        "T1 Ben 1 d1 1",
        "T1 Ben 1 d2 0",
    ]
    rows = as_csv(judged)
    assert [(row["assessor"], row["reason"]) for row in rows] == [("Ada", "clearer"), ("Ben", "clearer")]
    assert judged.json("campaign", "preferences", "harbour")[0]["assessor"] == "Ada"


def test_documents_are_ranked_and_the_agreement_of_two_told(judged: Terminal) -> None:
    give_best(judged)
    answer_all(judged, "tie")
    # A tie is half a win of each, so that both documents have half of the two comparisons.
    ranked = as_csv(judged, "--documents")
    assert [(row["doc"], row["score"], row["comparisons"], row["ties"]) for row in ranked] == [
        ("d1", "0.5", "2", "2"),
        ("d2", "0.5", "2", "2"),
    ]
    heading, line = judged.does("campaign", "preferences", "harbour", "--agreement").decode().splitlines()
    assert heading.split("\t")[:3] == ["kind", "assessor", "other"]
    assert line.split("\t")[:5] == ["documents", "Ada", "Ben", "1", "1"]


def test_the_results_of_two_runs_are_compared(judged: Terminal) -> None:
    with judged.database() as database, database.writing() as db:
        campaign = campaign_by_slug(db, "harbour").id
        (ada,) = (one.id for one in assessors_of(db, campaign) if one.name == "Ada")
        given = compare_runs(db, campaign, "alpha", "beta", topics=["T1", "T2"], assessor_ids=[ada], seed=2)
    assert given == 2
    answer_all(judged, "first")
    (row,) = as_csv(judged, "--runs")
    # Two topics, which `first` of each pair won.
    assert (row["first"], row["second"], row["ties"]) == ("alpha", "beta", "0")
    assert int(row["first_better"]) + int(row["second_better"]) == 2
    # Runs are no documents.
    assert judged.does("campaign", "preferences", "harbour") == b""
    assert as_csv(judged, "--documents") == []


def test_a_table_and_json_are_not_asked_for_at_once(populated: Terminal) -> None:
    done = populated.run("campaign", "preferences", "harbour", "--csv", "--json")
    assert (done.returncode, b"--json and --csv cannot be combined" in done.stderr) == (2, True)
