"""Quality checks: repeats, pairs with a known grade, training and who waits in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, BinaryIO

from flask import Blueprint
from typing_extensions import TypedDict

from workbench.formats.graded_pairs import read_known_grades
from workbench.json_forms import (
    CheckRulesJson,
    Counted,
    KnownAnswerJson,
    KnownLoadedJson,
    PageJson,
    TraineeJson,
    TrainingRoundJson,
    filled,
)
from workbench.storage import Session
from workbench.storage.events import PLANTED, TRAINING
from workbench.web.access import here, organiser, takes_uploads, viewer
from workbench.web.api.cursors import FORBID, Flag, GradeValue, Number, PageQuery, Whole, page_of
from workbench.web.api.files import FileName, buffered
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.agreement.known_answers import KnownAnswerLine, known_answer_lines
from workbench.workflow.judging.quality_checks import check_rules_of
from workbench.workflow.judging.quality_settings import (
    change_known_answer,
    known_pairs,
    load_known_answers,
    remove_known_answer,
    remove_known_answers,
    save_check_rules,
)
from workbench.workflow.judging.trainees import Trainee, trainees
from workbench.workflow.judging.training import waive_training
from workbench.workflow.people.access_tokens import Scope

blueprint = Blueprint("quality_checks", __name__, url_prefix="/campaigns/<slug>/quality-checks")


class SentPurpose(StrEnum):
    """What a pair with a known grade is for."""

    PLANTED = PLANTED
    TRAINING = TRAINING


class CheckRulesChange(TypedDict, total=False):
    """What is to be changed; what is not named stays."""

    __pydantic_config__ = FORBID  # type: ignore[misc]  # as pydantic's documentation does
    one_in: Whole | None
    distance: Whole
    training: Flag
    least: Whole | None


@dataclass(frozen=True, slots=True)
class KnownAnswersFile:
    """A table of pairs with a known grade, with the header `topic doc grade`, and what they are for."""

    __pydantic_config__ = FORBID
    purpose: SentPurpose
    name: FileName = "known.tsv"


@dataclass(frozen=True, slots=True)
class KnownGradeChange:
    """The grade that is right for a pair."""

    __pydantic_config__ = FORBID
    purpose: SentPurpose
    topic: str
    docno: str
    grade: GradeValue


@dataclass(frozen=True, slots=True)
class KnownAnswersQuery:
    """All pairs of a purpose, or the one that is named by topic and docno."""

    __pydantic_config__ = FORBID
    purpose: SentPurpose
    topic: str = ""
    docno: str = ""


@dataclass(frozen=True, slots=True)
class SentWaiver:
    """An assignment whose training is waived."""

    __pydantic_config__ = FORBID
    assignment: Number


@blueprint.get("")
@organiser
@operation(CheckRulesJson)
def show() -> CheckRulesJson:
    """Show the quality checks and how many pairs have a known grade."""
    with reading() as db:
        return _rules(db)


@blueprint.patch("")
@organiser
@operation(CheckRulesJson, scope=Scope.MANAGE, body=CheckRulesChange)
def change(body: CheckRulesChange) -> CheckRulesJson:
    """Change the quality checks; they apply to what is judged from now on."""
    with writing() as db:
        save_check_rules(db, here().id, replace(check_rules_of(db, here().id), **dict[str, Any](body)))
        return _rules(db)


@blueprint.get("/known-answers")
@organiser
@operation(PageJson[KnownAnswerJson], query=PageQuery)
def known_answers(query: PageQuery) -> PageJson[KnownAnswerJson]:
    """List the pairs with a known grade and how many gave it, by purpose, topic and docno."""
    with reading() as db:
        found = sorted(known_answer_lines(db, here().id), key=_place)
    return page_of(found, query, key=_place, form=lambda one: filled(KnownAnswerJson, one))


@blueprint.post("/known-answers")
@takes_uploads
@organiser
@operation(KnownLoadedJson, scope=Scope.MANAGE, query=KnownAnswersFile, takes_file=True)
def load(query: KnownAnswersFile, file: BinaryIO) -> KnownLoadedJson:
    """Load pairs with a known grade from the body; all of them, or none."""
    answers = read_known_grades(buffered(file), source=query.name)
    with writing() as db:
        done = load_known_answers(
            db, here().id, answers, purpose=query.purpose, source=query.name, added_by=viewer().id
        )
    return filled(KnownLoadedJson, done)


@blueprint.patch("/known-answers")
@organiser
@operation(None, scope=Scope.MANAGE, body=KnownGradeChange)
def correct(body: KnownGradeChange) -> None:
    """Correct the known grade of a pair; answers so far are compared with the new one."""
    pair = (body.topic, body.docno)
    with writing() as db:
        change_known_answer(db, here().id, purpose=body.purpose, pair=pair, grade=body.grade)


@blueprint.delete("/known-answers")
@organiser
@operation(Counted, scope=Scope.MANAGE, query=KnownAnswersQuery)
def remove(query: KnownAnswersQuery) -> Counted:
    """Remove a pair with a known grade, or all of a purpose; answers to them stay."""
    with writing() as db:
        if query.topic or query.docno:
            remove_known_answer(db, here().id, purpose=query.purpose, pair=(query.topic, query.docno))
            return {"count": 1}
        return {"count": remove_known_answers(db, here().id, purpose=query.purpose)}


@blueprint.get("/trainees")
@organiser
@operation(list[TraineeJson])
def in_training() -> list[TraineeJson]:
    """List who is still in training, whoever failed most often first."""
    with reading() as db:
        return [_trainee(one) for one in trainees(db, here().id)]


@blueprint.post("/waivers")
@organiser
@operation(None, scope=Scope.MANAGE, body=SentWaiver)
def waive(body: SentWaiver) -> None:
    """Waive the training of an assignment; what was answered in it stays."""
    with writing() as db:
        waive_training(db, here().id, body.assignment, by=viewer().id)


def _rules(db: Session) -> CheckRulesJson:
    rules, known = check_rules_of(db, here().id), known_pairs(db, here().id)
    return {
        "one_in": rules.one_in,
        "distance": rules.distance,
        "training": rules.training,
        "least": rules.least,
        "planted": known.planted,
        "planted_in_pool": known.planted_in_pool,
        "training_pairs": known.training,
        "training_in_pool": known.training_in_pool,
    }


def _place(one: KnownAnswerLine) -> tuple[str, str, str]:
    return one.purpose, one.topic, one.docno


def _trainee(one: Trainee) -> TraineeJson:
    rounds = [filled(TrainingRoundJson, each) for each in one.rounds]
    return filled(TraineeJson, one, assignment=one.assignment_id, rounds=rounds)
