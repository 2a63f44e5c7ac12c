"""The part of a form that says something of a run: its kind, description, priority and group."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from workbench.errors import NotFound
from workbench.web.forms import sent_text, whole_number
from workbench.workflow.runs.run_metadata import RunMetadata, TypedMetadata, read_metadata

KINDS = (("", "not said"), ("automatic", "automatic"), ("manual", "manual"))


@dataclass(frozen=True, slots=True)
class AboutForm:
    """What stands in the fields: as it was typed, or as the record has it."""

    group: str = ""
    kind: str = ""
    description: str = ""
    priority: str = ""


def typed_about() -> AboutForm:
    """What this request's form has typed."""
    return AboutForm(*(sent_text(field) for field in ("group", "kind", "description", "priority")))


def about_as_typed(about: RunMetadata) -> AboutForm:
    """A record as it stands in the fields."""
    return AboutForm(
        group="" if about.group_id is None else str(about.group_id),
        kind=about.kind or "",
        description=about.description,
        priority="" if about.priority is None else str(about.priority),
    )


def sent_about() -> RunMetadata:
    """What the form says of a run; raises InvalidInput, and NotFound for a group that is no number."""
    typed = typed_about()
    return read_metadata(TypedMetadata(typed.kind, typed.description, typed.priority), group_id=sent_group())


def sent_group(field: str = "group") -> int | None:
    """The number of the group that was chosen, None for none; raises NotFound for what is no number."""
    text = request.values.get(field, "").strip()
    number = whole_number(text)
    if text and number is None:
        raise NotFound("there is no such group", remedy="choose one of the list")
    return number
