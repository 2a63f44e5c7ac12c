"""What the search pages of assessors and organisers share: the form, and the state of the index."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from workbench.errors import Finding, InvalidInput
from workbench.web.access import here
from workbench.web.forms import sent_text
from workbench.web.ids import read_id
from workbench.web.index_builds import IndexProgress, up_to_date_index
from workbench.workflow.searching.searches import LONGEST_TYPED, Among, NewSearch

FROM = "from"
"""The document at which an assessor left the desk, to go back to."""


@dataclass(frozen=True, slots=True)
class AmongChoice:
    """A filter of searches with its label."""

    value: Among
    label: str


OF_ASSESSORS = (
    AmongChoice(Among.ALL, "All documents"),
    AmongChoice(Among.NEW, "Not judged by me"),
    AmongChoice(Among.MINE, "Judged by me"),
    AmongChoice(Among.POOLED, "In my documents"),
)
OF_ORGANISERS = (
    AmongChoice(Among.ALL, "All documents"),
    AmongChoice(Among.NEW, "Not judged"),
    AmongChoice(Among.MINE, "Judged"),
    AmongChoice(Among.POOLED, "In a pool of the topic"),
)


def read_search() -> NewSearch:
    """What the form asks; raises InvalidInput where nothing was typed, or too much."""
    typed = " ".join(sent_text("query").split())
    like = read_id(request.form.get("like", "")) or None
    if like is None and not typed:
        raise InvalidInput([Finding("Search", None, "query", "the query is empty", "type one or more words")])
    if len(typed) > LONGEST_TYPED:
        message, remedy = f"the query has {len(typed):,} characters", f"at most {LONGEST_TYPED:,}"
        raise InvalidInput([Finding("Search", None, "query", message, remedy)])
    chosen = request.form.get("among", "")
    among = Among(chosen) if chosen in {str(one) for one in Among} else Among.ALL
    return NewSearch(typed, like, among)


def index_now() -> IndexProgress:
    """The index of the campaign of this page."""
    return up_to_date_index(here().id)


def left_at() -> str | None:
    """The document at which the desk was left, as the address or the form names it."""
    return request.values.get(FROM) or None
