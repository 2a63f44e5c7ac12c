"""What a campaign asks at its desks: further questions, comments for some grades, breaks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, rejected
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import CampaignRow, JudgmentEventRow
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.judging.submission import Submission

QUESTIONS, COMMENT_FOR = "questions", "comment_for"
REQUIRED = "(required)"
MOST_QUESTIONS = 8
MOST_LABELS = 10
LONGEST_NAME = 60
_SHAPE = "Readability: hard, fair, easy"


@frozen_dataclass
class Question:
    """A further question about every document: its labels, the lowest first; it may have to be answered."""

    name: str
    labels: tuple[str, ...]
    required: bool = False


@frozen_dataclass
class DeskQuestions:
    """All that a campaign asks beside the grade; `comment_for` are grades that need a comment."""

    questions: tuple[Question, ...] = ()
    comment_for: tuple[int, ...] = ()

    def missing(self, grade: int, comment: str, ratings: Mapping[str, int]) -> tuple[str, ...]:
        """What must still be answered before this grade can be given."""
        open_ = [one.name for one in self.questions if one.required and one.name not in ratings]
        needs = grade in self.comment_for and not comment.strip()
        return (*open_, *(["a comment"] if needs else []))

    def require(self, submission: Submission) -> None:
        """Raise InvalidInput where a grade needs a comment or more answers than it comes with."""
        ratings = submission.annotations.ratings if submission.annotations is not None else {}
        grade = submission.grade
        missing = self.missing(grade, submission.comment, ratings) if grade is not None else ()
        if missing:
            message = f"this grade needs more: {', '.join(missing)}"
            remedy = "go back (nothing you typed is lost) and give the grade again"
            raise rejected("Answer", None, "answer", message, remedy)


def desk_questions(desk_rules: Mapping[str, Any]) -> DeskQuestions:
    """What the rules of a desk ask for; they are empty where nothing is switched on."""
    return DeskQuestions(
        tuple(
            Question(one["name"], tuple(one["labels"]), bool(one["required"]))
            for one in desk_rules.get(QUESTIONS, ())
        ),
        tuple(desk_rules.get(COMMENT_FOR, ())),
    )


def desk_questions_of(db: Session, campaign_id: int) -> DeskQuestions:
    """What a campaign asks beside the grade."""
    return desk_questions(db.get_one(CampaignRow, campaign_id).desk_rules)


def read_questions(text: str) -> tuple[Question, ...]:
    """Questions as they are typed, one a line: `name: label, label` or `name (required): label, label`.

    Raises InvalidInput with everything that is wrong, by line.
    """
    findings: list[Finding] = []
    found: list[Question] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        question = _question(line)
        wrong = _wrong(question, found)
        if wrong:
            findings.append(Finding("Questions", number, QUESTIONS, *wrong))
        else:
            found.append(question)
    if len(found) > MOST_QUESTIONS:
        message = f"{len(found)} questions about every document"
        findings.append(Finding("Questions", None, QUESTIONS, message, f"at most {MOST_QUESTIONS}"))
    if findings:
        raise InvalidInput(findings)
    return tuple(found)


def questions_as_text(questions: Iterable[Question]) -> str:
    """The questions as `read_questions` reads them."""
    return "\n".join(
        f"{one.name}{f' {REQUIRED}' if one.required else ''}: {', '.join(one.labels)}" for one in questions
    )


def save_desk_questions(
    db: Session, campaign_id: int, questions: Sequence[Question], comment_for: Collection[int]
) -> None:
    """Ask these questions from now on, and for a comment with these grades.

    What was answered keeps its meaning: a question that has answers may change its words and get further
    labels, but loses none. Raises Conflict where it would, InvalidInput for an unknown grade.
    """
    row = db.get_one(CampaignRow, campaign_id, with_for_update=True)
    grades = {grade.value for grade in scale_from_json(row.scale).grades}
    for grade in sorted(set(comment_for) - grades):
        raise rejected("Comments", None, COMMENT_FOR, f"{grade} is not a grade of the scale")
    highest = _highest_answers(db, campaign_id)
    for one in questions:
        if highest.get(one.name, -1) >= len(one.labels):
            raise Conflict(
                f"{one.name} has answers beyond {len(one.labels)} labels",
                remedy="keep all labels: once there are answers, they can be reworded and added, not removed",
            )
    asked = [{"name": one.name, "labels": list(one.labels), "required": one.required} for one in questions]
    change_rules(db, row, {QUESTIONS: asked or None, COMMENT_FOR: sorted(set(comment_for)) or None})


def change_rules(db: Session, row: CampaignRow, changed: Mapping[str, Any]) -> None:
    """Give a locked campaign other rules for its desks; one that is None is there no more."""
    kept = {key: value for key, value in row.desk_rules.items() if key not in changed}
    row.desk_rules = kept | {key: value for key, value in changed.items() if value is not None}
    db.flush()


def _question(line: str) -> Question:
    name, _, labels = storable(line).partition(":")
    name = " ".join(name.split())
    required = name.casefold().endswith(REQUIRED)
    if required:
        name = name[: -len(REQUIRED)].rstrip()
    return Question(name, tuple(" ".join(each.split()) for each in labels.split(",")), required)


def _wrong(question: Question, before: Sequence[Question]) -> tuple[str, str] | None:
    """What is wrong with a question, and how to fix it."""
    name, labels = question.name, question.labels
    if not name:
        return "the question has no name", f"such as {_SHAPE}"
    if len(name) > LONGEST_NAME:
        return f"the name has {len(name)} characters", f"at most {LONGEST_NAME}"
    if name.casefold() in {one.name.casefold() for one in before}:
        return f"{name} is already a question", "ask each question once"
    if not all(labels):
        return f"{name} has an empty label", f"labels are separated by commas, such as {_SHAPE}"
    if not 2 <= len(labels) <= MOST_LABELS:
        return f"{name} has {len(labels)} label{'s'[: len(labels) != 1]}", f"2 to {MOST_LABELS}"
    if len({label.casefold() for label in labels}) != len(labels):
        return f"{name} has a label twice", "labels differ"
    if any(len(label) > LONGEST_NAME for label in labels):
        return f"{name} has a label that is too long", f"at most {LONGEST_NAME} characters"
    return None


def _highest_answers(db: Session, campaign_id: int) -> dict[str, int]:
    """The highest place that was ever given in answer to each question."""
    highest: dict[str, int] = {}
    event = JudgmentEventRow
    for ratings in db.scalars(
        select(event.ratings).where(event.campaign_id == campaign_id, event.ratings.is_not(None))
    ):
        for name, value in (ratings or {}).items():
            if isinstance(value, int):
                highest[name] = max(highest.get(name, -1), value)
    return highest


BREAK_RULE = "break_minutes"
SHORTEST_BREAK, LONGEST_BREAK = 5, 480


def break_minutes(desk_rules: Mapping[str, Any]) -> int | None:
    """After how many minutes of judging a break is to be proposed, or None where nobody asked for it."""
    found = desk_rules.get(BREAK_RULE)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None


def break_minutes_of(db: Session, campaign_id: int) -> int | None:
    """After how many minutes of judging a campaign proposes a break, or None."""
    return break_minutes(db.get_one(CampaignRow, campaign_id).desk_rules)


def save_break_minutes(db: Session, campaign_id: int, minutes: int | None) -> None:
    """Have a break proposed after so many minutes of judging, or (None) never.

    Raises InvalidInput for less than five minutes or more than eight hours.
    """
    if minutes is not None and not SHORTEST_BREAK <= minutes <= LONGEST_BREAK:
        message = f"a break after {minutes} minutes is out of range"
        raise rejected(
            "Break",
            None,
            BREAK_RULE,
            message,
            f"enter {SHORTEST_BREAK} to {LONGEST_BREAK}, or leave it empty",
        )
    change_rules(db, db.get_one(CampaignRow, campaign_id, with_for_update=True), {BREAK_RULE: minutes})


SEARCH_RULE = "search"


def allows_search_of(db: Session, campaign_id: int) -> bool:
    """Whether the documents of this campaign may be searched."""
    # Every search asks twice, and a campaign has much beside its rules.
    rules = select(CampaignRow.desk_rules).where(CampaignRow.id == campaign_id)
    return db.scalars(rules).one().get(SEARCH_RULE) is True


def save_allows_search(db: Session, campaign_id: int, allowed: bool) -> None:
    """Let organisers and assessors search the documents of a campaign, or no longer."""
    row = db.get_one(CampaignRow, campaign_id, with_for_update=True)
    change_rules(db, row, {SEARCH_RULE: allowed or None})
