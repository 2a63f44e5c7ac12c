"""The part of a form that gives a run its metadata: group, kind, description, priority and cost."""

from __future__ import annotations

from collections.abc import Mapping

from flask import request

from workbench.errors import NotFound
from workbench.web.forms import sent_text, whole_number
from workbench.workflow.runs.run_metadata import COST_FIELDS, RunMetadata, read_metadata

KINDS = (("", "not given"), ("automatic", "automatic"), ("manual", "manual"))
FIELDS = ("group", "kind", "description", "priority", *COST_FIELDS)


def typed_metadata() -> Mapping[str, str]:
    """What this request's form has typed, by field."""
    return {field: sent_text(field) for field in FIELDS}


def metadata_as_typed(metadata: RunMetadata) -> Mapping[str, str]:
    """Metadata as they are written in the fields of a form."""
    return {
        "group": "" if metadata.group_id is None else str(metadata.group_id),
        "kind": metadata.kind or "",
        "description": metadata.description,
        "priority": "" if metadata.priority is None else str(metadata.priority),
        **{field: _typed(getattr(metadata.cost, field)) for field in COST_FIELDS},
    }


def _typed(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)


def sent_metadata() -> RunMetadata:
    """The metadata that the form gives; raises InvalidInput, and NotFound for a group that is no number."""
    return read_metadata(typed_metadata(), group_id=sent_group())


def sent_group(field: str = "group") -> int | None:
    """The number of the group that was chosen, None for none; raises NotFound for what is no number."""
    text = request.values.get(field, "").strip()
    number = whole_number(text)
    if text and number is None:
        raise NotFound("there is no such group", remedy="choose one from the list")
    return number
