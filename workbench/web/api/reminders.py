"""Reminders: assessors with work left, to whom messages are sent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.errors import Finding, InvalidInput, NotFound
from workbench.json_forms import Counted, OpenWorkJson, filled
from workbench.web.access import here, organiser
from workbench.web.api.cursors import FORBID
from workbench.web.api.operations import operation
from workbench.web.context import app_context, reading, writing
from workbench.workflow.mail.reminders import open_work, remind
from workbench.workflow.people.access_tokens import Scope

blueprint = Blueprint("reminders", __name__, url_prefix="/campaigns/<slug>/assignments/reminders")


@dataclass(frozen=True, slots=True)
class SentReminders:
    """Assessors with work left by name (all who can be reminded if None), and a deadline for the message."""

    __pydantic_config__ = FORBID
    assessors: Annotated[list[str], Field(min_length=1)] | None = None
    deadline: date | None = None


@blueprint.get("")
@organiser
@operation(list[OpenWorkJson])
def index() -> list[OpenWorkJson]:
    """List the assessors who have something left to judge or to compare."""
    with reading() as db:
        return [filled(OpenWorkJson, one) for one in open_work(db, here().id)]


@blueprint.post("")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentReminders)
def send(body: SentReminders) -> Counted:
    """Have assessors reminded, each at most once a day; counts the messages."""
    if app_context().settings.mail is None:
        raise NotFound("this site sends no e-mail", remedy="ask an administrator to set it up")
    with reading() as db:
        left = {one.name: one for one in open_work(db, here().id)}
    chosen = [name for name, one in left.items() if one.can_be_reminded]
    unknown = sorted(set(body.assessors or ()) - left.keys())
    if unknown:
        message = f"{unknown[0][:80]!r} is no assessor with work left"
        raise InvalidInput([Finding("assessors", None, "assessor", message, "see the list")])
    numbers = [left[name].account_id for name in body.assessors or chosen]
    return {"count": remind(app_context().database, here().id, numbers, body.deadline, writing=writing)}
