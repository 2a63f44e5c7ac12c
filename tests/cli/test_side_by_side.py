"""Work side by side by commands: what is given to whom, and what came of it in every form."""

from __future__ import annotations

import csv
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from tests.cli.executable import Terminal
from workbench.records import Answer
from workbench.storage.tables import PreferenceEventRow, PreferenceTaskRow
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.record import Place, append
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import assessors_of

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
# In the scale of four grades both find d1 and d2 of T1 relevant, and Ada d6 as well.
GRADES = {"Ada": {"d1": 3, "d2": 2, "d6": 2, "d#3": 0}, "Ben": {"d1": 2, "d2": 2}}
GIVE = (
    "campaign",
    "side-by-side",
    "documents",
    "harbour",
    "--assessor",
    "Ada",
    "--assessor",
    "Ben",
    "--seed",
    "1",
)


@pytest.fixture
def judged(populated: Terminal) -> Terminal:
    with populated.database() as database, database.writing() as db:
        campaign = campaign_by_slug(db, "harbour").id
        for line in assessors_of(db, campaign):
            for number, (docno, grade) in enumerate(GRADES[line.name].items()):
                said = Submission(docno, f"{line.name}-answer-{number}", answer=Answer.GRADE, grade=grade)
                append(db, Place(campaign, line.id, "T1", docno, source="desk"), said)
    return populated


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
    printed = terminal.does("campaign", "side-by-side", "results", "harbour", "--csv", *words).decode()
    return list(csv.DictReader(printed.splitlines()))


def test_the_best_documents_of_each_assessor_are_given_in_pairs(judged: Terminal) -> None:
    # T2 has no grades, so that each has one task: Ada's three pairs of three documents, Ben's one of two.
    assert judged.does(*GIVE) == b"2 tasks assigned.\n"
    with judged.database() as database, database.reading() as db:
        tasks = db.scalars(select(PreferenceTaskRow).order_by(PreferenceTaskRow.id)).all()
        given = [{frozenset(pair) for pair in task.pairs} for task in tasks]
    one, two, three = (frozenset(pair) for pair in (("d1", "d2"), ("d1", "d6"), ("d2", "d6")))
    assert given == [{one, two, three}, {one}]
    assert judged.json(*GIVE, "--topic", "T1") == {"tasks": 0}


def test_only_as_many_of_the_best_as_are_asked_for(judged: Terminal) -> None:
    # d1 has the highest grade; of the two with the next one d2 comes first.
    assert judged.json(*GIVE, "--best", "2") == {"tasks": 2}
    with judged.database() as database, database.reading() as db:
        assert {frozenset(*task.pairs) for task in db.scalars(select(PreferenceTaskRow))} == {
            frozenset(("d1", "d2"))
        }


def test_answers_are_printed_as_trec_eval_reads_them_and_with_everything(judged: Terminal) -> None:
    judged.does(*GIVE, "--best", "2")
    answer_all(judged, "first")
    # Of every decided pair the better document has 1 and the other one 0.
    assert judged.does("campaign", "side-by-side", "results", "harbour").decode().splitlines() == [
        "T1 Ada 1 d1 1",
        "T1 Ada 1 d2 0",
        "T1 Ben 1 d1 1",
        "T1 Ben 1 d2 0",
    ]
    rows = as_csv(judged)
    assert [(row["assessor"], row["reason"]) for row in rows] == [("Ada", "clearer"), ("Ben", "clearer")]
    assert judged.json("campaign", "side-by-side", "results", "harbour")[0]["assessor"] == "Ada"


def test_documents_are_ranked_and_the_agreement_of_two_told(judged: Terminal) -> None:
    judged.does(*GIVE, "--best", "2")
    answer_all(judged, "tie")
    # A tie is half a win of each, so that both documents have half of the two comparisons.
    ranked = as_csv(judged, "--documents")
    assert [(row["doc"], row["score"], row["comparisons"], row["ties"]) for row in ranked] == [
        ("d1", "0.5", "2", "2"),
        ("d2", "0.5", "2", "2"),
    ]
    heading, line = (
        judged.does("campaign", "side-by-side", "results", "harbour", "--agreement").decode().splitlines()
    )
    assert heading.split("\t")[:3] == ["kind", "assessor", "other"]
    assert line.split("\t")[:5] == ["documents", "Ada", "Ben", "1", "1"]


def test_the_results_of_two_runs_are_compared(judged: Terminal) -> None:
    give = ("campaign", "side-by-side", "runs", "harbour", "alpha", "beta", "--assessor", "Ada")
    assert judged.does(*give, "--seed", "2") == b"2 tasks assigned.\n"
    assert judged.json(*give) == {"tasks": 0}
    answer_all(judged, "first")
    (row,) = as_csv(judged, "--runs")
    # Two topics, which `first` of each pair won.
    assert (row["first"], row["second"], row["ties"]) == ("alpha", "beta", "0")
    assert int(row["first_better"]) + int(row["second_better"]) == 2
    # Runs are no documents.
    assert judged.does("campaign", "side-by-side", "results", "harbour") == b""
    assert as_csv(judged, "--documents") == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("side-by-side", "documents", "harbour", "--assessor", "Eve"),
            "Eve is not an assessor with an account in this campaign",
        ),
        (
            ("side-by-side", "runs", "harbour", "alpha", "alpha", "--assessor", "Ada"),
            "cannot be compared with itself",
        ),
        (("side-by-side", "runs", "harbour", "alpha", "gone", "--assessor", "Ada"), "there is no run 'gone'"),
        (
            ("side-by-side", "runs", "harbour", "alpha", "beta", "--assessor", "Ada", "--topic", "T9"),
            "there is no topic 'T9'",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_and_nothing_given(
    populated: Terminal, words: tuple[str, ...], said: str
) -> None:
    assert said in populated.refused("campaign", *words)
    with populated.database() as database, database.reading() as db:
        assert db.scalars(select(PreferenceTaskRow)).all() == []


def test_a_table_and_json_are_not_asked_for_at_once(populated: Terminal) -> None:
    done = populated.run("campaign", "side-by-side", "results", "harbour", "--csv", "--json")
    assert (done.returncode, b"--json and --csv cannot be combined" in done.stderr) == (2, True)
