"""Machines against people, put together from topics, are those of one table of all answers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from sqlalchemy.orm import Session

from tests.builders import Made, pooled_campaign
from tests.workflow.adjudication.disputed import FAR, NEAR, disputed_campaign
from workbench.agreement.contingency import MISSING
from workbench.agreement.machines import MachineComparison, compare_machine, majority
from workbench.agreement.options import AgreementOptions, Occasion
from workbench.records import FOUR_GRADES, Judgment
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.workflow.adjudication.decisions import Decision
from workbench.workflow.agreement import machines
from workbench.workflow.agreement.machines import (
    MachineLine,
    MachineReport,
    MachinesReport,
    machines_against_people,
)
from workbench.workflow.agreement.selection import answers_of_campaign, compared_grades
from workbench.workflow.caching import Cache
from workbench.workflow.judging.importing import import_judgments

pytestmark = pytest.mark.engines
NAMES = ("Ada", "Ben", "Cleo")
PAIRS = [(topic, f"d{number}") for topic in ("T1", "T2") for number in range(12)]


def judge(
    db: Session, made: Made, name: str, said: Mapping[tuple[str, str], int | None], turn: str = ""
) -> None:
    """What somebody says of pairs; None takes back. With another turn it may be said of them again."""
    events = [
        {
            "campaign_id": made.campaign.id, "assessor_id": made.assessors[name], "topic": topic,
            "docno": docno, "answer": "withdrawn" if grade is None else "grade", "grade": grade,
            "reason": "", "source": "screen", "client_id": f"{name}-{topic}-{docno}{turn}",
            "assignment_id": None, "document_sha256": None,
            "position": None, "order_rule": None, "seed": None, "active_ms": None,
            "recorded_at": datetime.now(UTC),
        }
        for (topic, docno), grade in said.items()
    ]  # fmt: skip
    assert append_events(db, events) == len(events)


def of_one_table(db: Session, campaign_id: int, options: AgreementOptions) -> MachinesReport:
    """The report from the table of all assessors and pairs."""
    grades = compared_grades(db, campaign_id, relevant_from=None, graded=options.graded)
    answers = answers_of_campaign(db, campaign_id, options.answers)
    codes = np.full(answers.grades.shape, MISSING, np.int8)
    for grade in grades.scale:
        codes[answers.grades == grade] = grades.categories.index(grades.category(grade))
    rows = [row for row in range(len(codes)) if (codes[row] != MISSING).any()]
    people = [row for row in rows if not answers.assessors[row].machine]
    most, tied = majority(codes[people], len(grades.categories))

    def compared(person: Any, machine: Any) -> MachineComparison:
        both = (person != MISSING) & (machine != MISSING)
        values = np.array(grades.categories)
        return compare_machine(
            values[person[both]], values[machine[both]], categories=grades.categories,
            relevant_from=grades.lowest_relevant, topics=answers.topics[both], options=options,
        )  # fmt: skip

    reports = []
    for row in rows:
        if answers.assessors[row].machine:
            own = codes[row] != MISSING
            alone = int((own & ((codes[people] != MISSING).sum(axis=0) == 1)).sum())
            lines = [MachineLine(None, compared(most, codes[row]), int((own & tied).sum()), alone)]
            lines += [
                MachineLine(answers.assessors[one].name, compared(codes[one], codes[row])) for one in people
            ]
            reports.append(MachineReport(answers.assessors[row].name, int(own.sum()), tuple(lines)))
    return MachinesReport(
        tuple(reports), tuple(answers.assessors[row].name for row in people), grades, options
    )


def check(database: Database, campaign_id: int) -> MachinesReport:
    """Compare with one table, under several options."""
    with database.reading() as db:
        for options in (
            AgreementOptions(),
            AgreementOptions(graded=True),
            AgreementOptions(answers=Occasion.CURRENT),
        ):
            found = machines_against_people(db, campaign_id, options)
            assert found == of_one_table(db, campaign_id, options)
    return found


def say(db: Session, made: Made, generator: random.Random, turn: int) -> None:
    """People judge some pairs, and machines others; Cleo never what a machine does."""
    for name in NAMES:
        among = PAIRS[:20] if name != "Cleo" else PAIRS[20:]
        answers = {pair: generator.choice([0, 1, 2, 3, None]) for pair in generator.sample(among, 4)}
        judge(db, made, name, answers, f"{turn}")
    for robot in ("robot", "other robot"):
        said = [Judgment(robot, *pair, generator.randrange(4)) for pair in generator.sample(PAIRS[:20], 6)]
        import_judgments(db, made.campaign.id, said, source=f"{robot} {turn}", machines=[robot])


@pytest.mark.parametrize("seed", range(2))
def test_after_every_save_the_report_is_that_of_one_table(database: Database, seed: int) -> None:
    generator = random.Random(seed)
    with database.writing() as db:
        made, _ = pooled_campaign(db, scale=FOUR_GRADES, assessors=NAMES)
        say(db, made, generator, 0)
    for turn in (1, 2):
        found = check(database, made.campaign.id)
        assert [one.machine for one in found.machines] == ["other robot", "robot"]
        with database.writing() as db:
            say(db, made, generator, turn)
    assert any(line.found.n == 0 for one in found.machines for line in one.lines if line.person == "Cleo")
    assert any(line.found.n > 2 for one in found.machines for line in one.lines)


def test_of_pairs_that_were_discussed_the_answers_asked_for_count(database: Database) -> None:
    with database.writing() as db:
        one = disputed_campaign(db)
        said = [Judgment("robot", *FAR, 3), Judgment("robot", *NEAR, 1)]
        import_judgments(db, one.id, said, source="r", machines=["robot"])
    check(database, one.id)
    with database.writing() as db:
        one.decide(db, FAR, Decision.BACK)
        one.discuss(db, "Ada", FAR, 2)
        one.discuss(db, "Ben", FAR, None)
    check(database, one.id)


def test_after_a_save_only_the_lines_that_it_changes_are_compared_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db, scale=FOUR_GRADES, assessors=NAMES)
        for name in NAMES:
            judge(db, made, name, dict.fromkeys(PAIRS[:6], 1))
        said = [Judgment("robot", *pair, at % 4) for at, pair in enumerate(PAIRS)]
        import_judgments(db, made.campaign.id, said, source="r", machines=["robot"])
    compared: list[int] = []

    def noted(person: Any, *rest: Any, **more: Any) -> MachineComparison:
        compared.append(len(person))
        return compare_machine(person, *rest, **more)

    monkeypatch.setattr(machines, "compare_machine", noted)
    monkeypatch.setattr(machines, "_COMPARED", Cache(100))
    options = AgreementOptions()
    for _ in range(2):
        with database.reading() as db:
            machines_against_people(db, made.campaign.id, options)
        with database.writing() as db:
            judge(db, made, "Ben", {PAIRS[8]: 1}, f"{len(compared)}")
    # The majority and the three, who say the same at first; then the majority and Ben.
    assert compared == [6, 7]
