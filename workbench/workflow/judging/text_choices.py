"""How an account wants documents: size, letters, spacing, light or dark, where they begin, and swipes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput
from workbench.workflow.judging.desk_preferences import desk_preferences, prefer

PART = "text"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the things to choose: its name, what it is called, and (value, label) of what there is."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]


CHOICES = (
    Choice(
        "size", "Size", (("1", "Smallest"), ("2", "Small"), ("3", "Medium"), ("4", "Large"), ("5", "Largest"))
    ),
    Choice("face", "Letters", (("serif", "Serif"), ("sans", "Sans serif"))),
    Choice("spacing", "Lines", (("close", "Close"), ("usual", "Usual"), ("wide", "Wide"))),
    Choice("theme", "Colours", (("system", "As the system"), ("light", "Light"), ("dark", "Dark"))),
    Choice("start", "Long documents begin", (("passage", "At the best passages"), ("top", "At the top"))),
    Choice(
        "swipe",
        "On touch a swipe left or right judges",
        (("off", "Off"), ("ends", "Lowest and highest grade"), ("line", "Grades around relevant")),
    ),
)


@dataclass(frozen=True, slots=True)
class TextChoice:
    """What was chosen; the values are those of CHOICES."""

    size: str = "3"
    face: str = "serif"
    spacing: str = "usual"
    theme: str = "system"
    start: str = "passage"
    swipe: str = "off"


def text_choice(db: Session, account_id: int) -> TextChoice:
    """What an account chose; the usual for what it did not choose, or what this version does not know."""
    stored = desk_preferences(db, account_id, PART)
    known = {choice.name: [value for value, _ in choice.options] for choice in CHOICES}
    kept = {name: value for name, value in stored.items() if name in known and value in known[name]}
    return TextChoice(**kept)


def choose_text(db: Session, account_id: int, chosen: Mapping[str, str]) -> TextChoice:
    """Keep what an account chooses; what is not named stays as it was. Raises InvalidInput."""
    findings = [
        Finding(
            choice.label,
            None,
            choice.name,
            f"{chosen[choice.name]!r} is none of the choices",
            "choose one of them",
        )
        for choice in CHOICES
        if choice.name in chosen and chosen[choice.name] not in {value for value, _ in choice.options}
    ]
    if findings:
        raise InvalidInput(findings)
    names = {field.name for field in fields(TextChoice)}
    changed = {name: value for name, value in chosen.items() if name in names}
    new = TextChoice(**{**asdict(text_choice(db, account_id)), **changed})
    prefer(db, account_id, PART, asdict(new))
    return new
