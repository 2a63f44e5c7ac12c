"""The keys of the judging desk: by what they mean, as its assessor wants them.

A grade's key comes first: where a command has the same one, the command has none until another is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput
from workbench.records import Scale
from workbench.workflow.judging.desk_preferences import desk_preferences, prefer

PART = "keys"
HIGHEST_GRADE = 9


@dataclass(frozen=True, slots=True)
class Command:
    """Something that the desk does at a key: its name, its key unless another is chosen, and what it does."""

    name: str
    key: str
    meaning: str


COMMANDS = (
    Command("unsure", "u", "unsure: comes back at the end of the topic"),
    Command("cannot_judge", "x", "cannot judge: broken, wrong language"),
    Command("later", "s", "later: put to the end of the topic"),
    Command("undo", "z", "undo, as often as you like; Backspace does the same"),
    Command("comment", "c", "comment, kept with the judgment"),
    Command("next_document", "]", "next document without judging"),
    Command("previous_document", "[", "previous document without judging"),
    Command("next_hit", "n", "next hit of the topic’s words"),
    Command("previous_hit", "p", "previous hit"),
    Command("highlight", "h", "words to highlight"),
    Command("passage", "a", "whole document, or its best passage"),
    Command("list", "l", "my judgments of this topic"),
    Command("guidelines", "g", "guidelines"),
    Command("card", "?", "the card of keys"),
)
GRADES = tuple(f"grade_{value}" for value in range(HIGHEST_GRADE + 1))
# What Space and Enter do is not to be given away; nothing else is typed without being seen.
NEVER = " "


@dataclass(frozen=True, slots=True)
class Keys:
    """The key of each grade by its value and of each command by its name; empty where it has none.

    `taken` are the commands that have no key because a grade of this scale has it.
    """

    grades: dict[int, str]
    commands: dict[str, str]
    taken: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """As the page carries them."""
        return {
            "grades": {str(value): key for value, key in self.grades.items()},
            "commands": self.commands,
        }


def resolve(scale: Scale, chosen: Mapping[str, str]) -> Keys:
    """The keys that count on a scale's desk, from those that an assessor chose by name."""
    grades: dict[int, str] = {}
    for grade in scale.grades:
        own = chosen.get(f"grade_{grade.value}", "")
        if own and own not in grades.values():
            grades[grade.value] = own
    for grade in scale.grades:
        if grade.value not in grades:
            others = set(grades.values())
            wanted = (grade.key.casefold(), str(grade.value))
            grades[grade.value] = next((key for key in wanted if len(key) == 1 and key not in others), "")
    held = set(grades.values())
    commands = {command.name: chosen.get(command.name) or command.key for command in COMMANDS}
    taken = tuple(name for name, key in commands.items() if key in held)
    return Keys(
        {grade.value: grades[grade.value] for grade in scale.grades},
        commands | dict.fromkeys(taken, ""),
        taken,
    )


def chosen_keys(db: Session, account_id: int) -> dict[str, str]:
    """The keys that an account chose, by command; what another version left there and is no key is passed."""
    known = {command.name for command in COMMANDS} | set(GRADES)
    kept = desk_preferences(db, account_id, PART)
    return {
        name: key
        for name, key in kept.items()
        if name in known and isinstance(key, str) and _is_key(key) and key == key.casefold()
    }


def keys_of(db: Session, account_id: int, scale: Scale) -> Keys:
    """The keys that count for an account on a scale's desk."""
    return resolve(scale, chosen_keys(db, account_id))


def choose_keys(db: Session, account_id: int, typed: Mapping[str, str]) -> None:
    """Keep the keys that an assessor chose by command; an empty one stays as it comes.

    Raises InvalidInput with everything that is wrong: no single character, or one key for two things.
    """
    prefer(db, account_id, PART, checked_keys(typed))


def checked_keys(typed: Mapping[str, str]) -> dict[str, str]:
    """The keys that differ from what they are without choosing; raises InvalidInput as `choose_keys`."""
    findings: list[Finding] = []
    commands = {command.name: command.key for command in COMMANDS}
    # What a grade's key is without choosing, its scale says: mostly its digit.
    defaults = commands | {name: name.removeprefix("grade_") for name in GRADES}
    chosen: dict[str, str] = {}
    for name in defaults:
        key = typed.get(name, "").strip().casefold()
        if not key:
            continue
        if not _is_key(key):
            message = f"{typed[name].strip()!r} is no key of its own"
            findings.append(Finding(in_words(name), None, name, message, "one letter, digit or sign"))
        elif key != commands.get(name):
            chosen[name] = key
    users: dict[str, str] = {}
    for name, key in (defaults | chosen).items():
        first = users.setdefault(key, name)
        if first != name:
            message = f"{key.upper()} is the key of “{in_words(first)}” already"
            findings.append(Finding(in_words(name), None, name, message, "give one of them another key"))
    if findings:
        raise InvalidInput(findings)
    return chosen


def in_words(name: str) -> str:
    """The name of a command or grade for people: `next hit`, `grade 2`."""
    return name.replace("_", " ")


def _is_key(key: str) -> bool:
    return len(key) == 1 and key.isprintable() and key not in NEVER
