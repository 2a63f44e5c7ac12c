"""Scales as JSON, in files and in the database, and the check of a new scale's keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.records import RESERVED_KEYS, SCALES, Grade, Scale


def scale_to_json(scale: Scale) -> dict[str, Any]:
    """A scale as JSON, as stored and as `--scale FILE` reads it."""
    return {"relevant_from": scale.relevant_from, "grades": [asdict(grade) for grade in scale.grades]}


def scale_from_json(data: object) -> Scale:
    """The scale that a JSON object describes.

    `{"relevant_from": 1, "grades": [{"value": 0, "label": "No", "key": "0"}, ...]}`; key, definition and
    weight are optional. Raises WorkbenchError, naming the grade, for anything else.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("grades"), list):
        raise WorkbenchError(
            "a scale is an object with a list of grades",
            remedy='see the example on the help page "Scale and guidelines"',
        )
    grades = tuple(_grade(index, entry, len(data["grades"])) for index, entry in enumerate(data["grades"]))
    relevant_from = data.get("relevant_from")
    if not isinstance(relevant_from, int) or isinstance(relevant_from, bool):
        raise WorkbenchError("relevant_from must be the value of a grade")
    return Scale(grades, relevant_from=relevant_from)


def named_scale(name: str) -> Scale:
    """A predefined scale by name; raises WorkbenchError, listing them, for an unknown name."""
    try:
        return SCALES[name]
    except KeyError:
        raise WorkbenchError(
            f"{name} is not a predefined scale",
            remedy=f"choose one of {', '.join(SCALES)}, or name a JSON file (workbench help settings)",
        ) from None


def _grade(index: int, entry: object, count: int) -> Grade:
    if not isinstance(entry, Mapping):
        raise WorkbenchError(f"grade {index + 1} of the scale is not an object")
    value, weight = entry.get("value", index), entry.get("weight", round(3 * index / max(1, count - 1)))
    if not isinstance(value, int) or isinstance(value, bool) or not isinstance(weight, int):
        raise WorkbenchError(f"grade {index + 1} of the scale: value and weight are whole numbers")
    label = str(entry.get("label", "")).strip()
    key = str(entry.get("key", value if 0 <= value <= 9 else "")).strip()
    return Grade(value, label, key, str(entry.get("definition", "")).strip(), weight)


def changed_meanings(before: Scale, after: Scale) -> tuple[str, ...]:
    """What an assessor who knows one scale would take wrongly in the other, a sentence each."""
    found = []
    old = {grade.value: grade for grade in before.grades}
    given = {grade.key.casefold(): grade for grade in before.grades if grade.key}
    for grade in after.grades:
        was, had = old.get(grade.value), given.get(grade.key.casefold())
        if was is not None and was.label != grade.label:
            found.append(f"grade {grade.value} is called “{grade.label}”, it was “{was.label}”")
        if was is not None and was.definition != grade.definition:
            found.append(f"grade {grade.value} has another definition")
        if had is not None and had.value != grade.value:
            found.append(f"key {grade.key} gives “{grade.label}”, it gave “{had.label}”")
    if before.relevant_from != after.relevant_from:
        found.append(f"grades from {after.relevant_from} count as relevant, not from {before.relevant_from}")
    return tuple(found)


def refuse_reserved(scale: Scale, *, before: Scale | None = None) -> None:
    """Raise InvalidInput if a new scale has a grade key that the judging desk uses for a command.

    A key that the scale `before` has may stay: it then gives the grade, and the command has no key.
    """
    old = {grade.key.casefold() for grade in before.grades} if before is not None else set()
    findings = [
        Finding(
            "Scale",
            None,
            "scale",
            f"the key {grade.key} of {grade.label!r} is used by a command of the judging desk",
            "use a digit, or a letter other than " + " ".join(sorted(RESERVED_KEYS - {" "})),
        )
        for grade in scale.grades
        if grade.key.casefold() in RESERVED_KEYS - old
    ]
    if findings:
        raise InvalidInput(findings)
