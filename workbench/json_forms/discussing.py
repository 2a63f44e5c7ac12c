"""The JSON of discussions: pairs that were sent back to their assessors, and what each of them says."""

from __future__ import annotations

from typing_extensions import TypedDict

from workbench.json_forms.judging import TaskDocument


class DiscussionLineJson(TypedDict):
    """A pair that was sent back to you; `replied` if there is an answer of another that you have not read."""

    topic: str
    topic_title: str
    docno: str
    title: str
    answered: bool
    all_answered: bool
    replied: bool


class StatementJson(TypedDict):
    """One answer with its reason and comment."""

    answer: str
    grade: int | None
    reason: str
    comment: str


class OpinionJson(TypedDict):
    """What an assessor says now and said before the discussion; `name` may be hidden behind a letter."""

    name: str
    machine: bool
    mine: bool
    now: StatementJson
    before: StatementJson | None
    earlier: list[str]


class DiscussionJson(TypedDict):
    """A pair under discussion as you see it; `why` is the adjudicator's reason.

    `hidden` counts new answers that are shown when everybody has answered, `latest` is the number of the
    latest one that is shown.
    """

    topic: str
    document: TaskDocument
    why: str
    opinions: list[OpinionJson]
    mine: StatementJson
    answered: bool
    hidden: int
    latest: int
