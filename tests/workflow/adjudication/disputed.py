"""A campaign whose assessors disagree, for the tests of adjudication."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, account, pooled_campaign
from tests.submitted import record
from workbench.consensus.votes import Pair
from workbench.records import FOUR_GRADES, Answer, Judgment
from workbench.workflow.adjudication.decisions import Decision, DecisionRecorded, DecisionSubmission, decide
from workbench.workflow.adjudication.discussions import discuss
from workbench.workflow.adjudication.disputes import disputed_pair
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import Role, add_role

FAR, NEAR, AGREED, LINE = ("T1", "d1"), ("T1", "d2"), ("T1", "d/4"), ("T2", "d1")

# Ada's and Ben's grades; the line of relevance is at 2.
SAID = {FAR: (0, 3), NEAR: (2, 3), AGREED: (1, 1), LINE: (1, 2)}


@dataclass(frozen=True, slots=True)
class Disputed:
    """The campaign: its number, people, two adjudicators' accounts, assignments by name and topic."""

    made: Made
    judith: int
    jonas: int
    tasks: dict[tuple[str, str], int]

    @property
    def id(self) -> int:
        """The number of the campaign."""
        return self.made.campaign.id

    def say(self, db: Session, name: str, pair: Pair, grade: int | None, *, answer: str = "grade") -> None:
        """Have an assessor judge on the judging desk."""
        record(
            db,
            self.tasks[name, pair[0]],
            self.made.accounts[name],
            docno=pair[1],
            answer=Answer(answer),
            grade=grade,
            client_id=str(uuid4()),
        )

    def decide(
        self,
        db: Session,
        pair: Pair,
        decision: int | Decision,
        *,
        by: int | None = None,
        client_id: str | None = None,
        seen: int | None = None,
        reason: str = "",
    ) -> DecisionRecorded:
        """Have Judith, or another, decide a pair as it stands."""
        who = by or self.judith
        known = disputed_pair(db, self.id, pair, who).seen if seen is None else seen
        kind, grade = (decision, None) if isinstance(decision, Decision) else (Decision.GRADE, decision)
        submission = DecisionSubmission(kind, client_id or str(uuid4()), grade, reason, seen=known)
        return decide(db, self.id, who, pair, submission)

    def discuss(self, db: Session, name: str, pair: Pair, grade: int | None, comment: str = "") -> bool:
        """Have an assessor answer in a discussion; None is unsure."""
        answer = Answer.UNSURE if grade is None else Answer.GRADE
        return discuss(
            db,
            self.id,
            self.made.accounts[name],
            pair[0],
            Submission(pair[1], str(uuid4()), answer=answer, grade=grade, comment=comment),
        )


def disputed_campaign(db: Session) -> Disputed:
    """Ada and Ben have judged four pairs, three of them differently; a machine differs on the fourth."""
    made, pool = pooled_campaign(db, scale=FOUR_GRADES)
    judith, jonas = account(db, "Judith"), account(db, "Jonas")
    for number in (judith, jonas):
        add_role(db, made.campaign.id, number, Role.ADJUDICATOR)
    assign(db, pool.pool.id, topics=["T1", "T2"], assessor_ids=made.assessors.values(), seed=1)
    tasks = {(line.assessor, line.topic): line.id for line in assignments_of(db, made.campaign.id)}
    found = Disputed(made, judith, jonas, tasks)
    for pair, grades in SAID.items():
        for name, grade in zip(("Ada", "Ben"), grades, strict=True):
            found.say(db, name, pair, grade)
    machine = [Judgment("judge-bot", *AGREED, 3)]
    import_judgments(db, made.campaign.id, machine, source="bot", machines=["judge-bot"])
    return found
