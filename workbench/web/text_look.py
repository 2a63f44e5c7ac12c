"""How this account wants text to look, in the first HTML of every page: nothing changes once it is seen."""

from __future__ import annotations

from flask import Flask, g

from workbench.web.access import viewer, viewer_or_none
from workbench.web.context import reading
from workbench.workflow.judging.desk_settings import (
    TEXT_OPTIONS,
    TextOption,
    TextSettings,
    own_words,
    text_settings,
)


def init_app(app: Flask) -> None:
    """Give templates `text_look`, `text_choices` and `highlighted_words`, and the filter `nearly`."""
    app.add_template_filter(nearly)
    app.add_template_global(text_look)
    app.add_template_global(text_choices)
    app.add_template_global(highlighted_words)


def text_look() -> TextSettings:
    """What the viewer chose, read once a request; the usual where nobody is signed in."""
    found = g.get("text_look")
    if not isinstance(found, TextSettings):
        found = TextSettings()
        if viewer_or_none() is not None:
            with reading() as db:
                found = text_settings(db, viewer().id)
        g.text_look = found
    return found


def text_choices() -> tuple[TextOption, ...]:
    """What there is to choose."""
    return TEXT_OPTIONS


def highlighted_words(assignment_id: int) -> tuple[str, ...]:
    """The viewer's own words in the topic of an assignment of theirs."""
    with reading() as db:
        return own_words(db, assignment_id, viewer().id)


def nearly(part: float) -> str:
    """A share in per cent that says 100 only of what is whole: `99.7 %`."""
    return "100 %" if part == 1 else f"{min(100 * part, 99.9):.1f} %"
