"""An assessor's own settings of the desk: keys, text, highlighted words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput, rejected
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.records import Scale, id_bytes
from workbench.storage.engine import insert_or
from workbench.storage.tables import AccountRow, AssessorNoteRow
from workbench.workflow.campaigns.visits import TEXT_PART
from workbench.workflow.judging.task import own_assignment


def desk_settings_part(db: Session, account_id: int, part: str) -> dict[str, Any]:
    """What an account has chosen of one part of the desk ("keys", "text", …); empty where it chose nothing.

    What was stored by another version may hold anything: whoever owns the part checks it on reading.
    """
    found = db.get_one(AccountRow, account_id).desk.get(part)
    return dict(found) if isinstance(found, dict) else {}


def save_desk_settings(db: Session, account_id: int, part: str, chosen: Mapping[str, Any]) -> None:
    """Keep what an account chooses of one part of the desk; the other parts stay as they are."""
    account = db.scalars(select(AccountRow).where(AccountRow.id == account_id).with_for_update()).one()
    account.desk = {**account.desk, part: dict(chosen)}
    db.flush()


KEYS_PART = "keys"
HIGHEST_GRADE = 9


@frozen_dataclass
class DeskCommand:
    """Something that the desk does at a key: its name, its key unless another is chosen, and what it does."""

    name: str
    key: str
    meaning: str


COMMANDS = (
    DeskCommand("unsure", "u", "unsure: comes back at the end of the topic"),
    DeskCommand("cannot_judge", "x", "cannot judge: broken, wrong language"),
    DeskCommand("later", "s", "later: put to the end of the topic"),
    DeskCommand("undo", "z", "undo, as often as you like; Backspace does the same"),
    DeskCommand("comment", "c", "comment, kept with the judgment"),
    DeskCommand("next_document", "]", "next document without judging"),
    DeskCommand("previous_document", "[", "previous document without judging"),
    DeskCommand("next_hit", "n", "next hit of the topic’s words"),
    DeskCommand("previous_hit", "p", "previous hit"),
    DeskCommand("highlight", "h", "words to highlight"),
    DeskCommand("passage", "a", "whole document, or its best passage"),
    DeskCommand("search", "f", "search the documents for the topic, where the campaign allows it"),
    DeskCommand("plain", "v", "plain text of the document, and back"),
    DeskCommand("list", "l", "my judgments of this topic"),
    DeskCommand("topic", "t", "fold the topic to a line, and unfold it"),
    DeskCommand("guidelines", "g", "guidelines"),
    DeskCommand("card", "?", "the card of keys"),
)
SIDE_ANSWERS = (
    DeskCommand("side_left", "1", "the left side is better"),
    DeskCommand("side_tie", "2", "tie: both serve the topic equally well"),
    DeskCommand("side_both_bad", "3", "both are bad"),
    DeskCommand("side_right", "4", "the right side is better"),
)
# What side by side does at the same key as the judging desk.
SIDE_COMMANDS = ("undo", "comment", "next_hit", "previous_hit", "guidelines", "card")
GRADES = tuple(f"grade_{value}" for value in range(HIGHEST_GRADE + 1))
# What Space and Enter do is not to be given away; nothing else is typed without being seen.
RESERVED = " "


@frozen_dataclass
class DeskKeys:
    """The key of each grade by its value and of each command by its name; empty where it has none.

    `without_key` are the commands whose key is that of a grade of this scale.
    """

    grades: dict[int, str]
    commands: dict[str, str]
    without_key: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """As the page carries them."""
        return {
            "grades": {str(value): key for value, key in self.grades.items()},
            "commands": self.commands,
        }


def resolve_keys(scale: Scale, chosen: Mapping[str, str]) -> DeskKeys:
    """The keys that count on a scale's desk, from those that an assessor chose by name."""
    grades: dict[int, str] = {}
    for grade in scale.grades:
        own = chosen.get(f"grade_{grade.value}", "")
        if own and own not in grades.values():
            grades[grade.value] = own
    for grade in scale.grades:
        if grade.value not in grades:
            others = set(grades.values())
            candidates = (grade.key.casefold(), str(grade.value))
            grades[grade.value] = next((key for key in candidates if len(key) == 1 and key not in others), "")
    of_grades = set(grades.values())
    # A command that is newer than the choice leaves its key to the one that it was chosen for.
    used = {chosen[command.name] for command in COMMANDS if command.name in chosen}
    commands = {
        command.name: chosen.get(command.name) or ("" if command.key in used else command.key)
        for command in COMMANDS
    }
    without_key = tuple(name for name, key in commands.items() if key in of_grades)
    return DeskKeys(
        {grade.value: grades[grade.value] for grade in scale.grades},
        commands | dict.fromkeys(without_key, ""),
        without_key,
    )


def chosen_keys(db: Session, account_id: int) -> dict[str, str]:
    """The keys that an account chose, by command; anything else that another version stored is ignored."""
    known = {command.name for command in (*COMMANDS, *SIDE_ANSWERS)} | set(GRADES)
    kept = desk_settings_part(db, account_id, KEYS_PART)
    return {
        name: key
        for name, key in kept.items()
        if name in known and isinstance(key, str) and _is_key(key) and key == key.casefold()
    }


def keys_of(db: Session, account_id: int, scale: Scale) -> DeskKeys:
    """The keys that count for an account on a scale's desk."""
    return resolve_keys(scale, chosen_keys(db, account_id))


def side_keys_of(db: Session, account_id: int) -> dict[str, str]:
    """The keys that count for an account side by side, by name; empty where an answer has a command's key."""
    chosen = chosen_keys(db, account_id)
    answers = {one.name: chosen.get(one.name) or one.key for one in SIDE_ANSWERS}
    commands = {one.name: chosen.get(one.name) or one.key for one in COMMANDS if one.name in SIDE_COMMANDS}
    used = set(answers.values())
    return answers | {name: "" if key in used else key for name, key in commands.items()}


def save_keys(db: Session, account_id: int, typed: Mapping[str, str]) -> None:
    """Keep the keys that an assessor chose by command; an empty one stays as it comes.

    Raises InvalidInput with everything that is wrong: no single character, or one key for two things.
    """
    save_desk_settings(db, account_id, KEYS_PART, checked_keys(typed))


def checked_keys(typed: Mapping[str, str]) -> dict[str, str]:
    """The keys that differ from what they are without choosing; raises InvalidInput as `save_keys`."""
    findings: list[Finding] = []
    commands = {command.name: command.key for command in COMMANDS}
    # What a grade's key is without choosing, its scale says: mostly its digit.
    defaults = commands | {name: name.removeprefix("grade_") for name in GRADES}
    sides = {one.name: one.key for one in SIDE_ANSWERS}
    chosen: dict[str, str] = {}
    for name in (*defaults, *sides):
        key = typed.get(name, "").strip().casefold()
        if not key:
            continue
        if not _is_key(key):
            message = f"{typed[name].strip()!r} is not a single key"
            findings.append(Finding(command_name(name), None, name, message, "use one letter, digit or sign"))
        elif key != (commands | sides).get(name):
            chosen[name] = key
    # The two desks have keys of their own, and some that do the same at both.
    shared = {name: commands[name] for name in SIDE_COMMANDS}
    findings += dict.fromkeys((*_used_twice(defaults, chosen), *_used_twice(shared | sides, chosen)))
    if findings:
        raise InvalidInput(findings)
    return chosen


def _used_twice(defaults: Mapping[str, str], chosen: Mapping[str, str]) -> Iterator[Finding]:
    # What was typed comes last, so that the error stands where it can be corrected.
    unchanged = {name: key for name, key in defaults.items() if name not in chosen}
    typed = {name: key for name, key in chosen.items() if name in defaults}
    users: dict[str, str] = {}
    for name, key in (unchanged | typed).items():
        first = users.setdefault(key, name)
        if first != name:
            message = f"{key.upper()} is already the key of “{command_name(first)}”"
            yield Finding(command_name(name), None, name, message, "choose another one")


def command_name(name: str) -> str:
    """The name of a command or grade for people: `next hit`, `grade 2`."""
    return name.replace("_", " ")


def _is_key(key: str) -> bool:
    return len(key) == 1 and key.isprintable() and key not in RESERVED


@frozen_dataclass
class TextOption:
    """One of the things to choose: its name, what it is called, and (value, label) of what there is."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]


TEXT_OPTIONS = (
    TextOption(
        "size", "Size", (("1", "Smallest"), ("2", "Small"), ("3", "Medium"), ("4", "Large"), ("5", "Largest"))
    ),
    TextOption("face", "Typeface", (("serif", "Serif"), ("sans", "Sans serif"))),
    TextOption("spacing", "Line spacing", (("close", "Tight"), ("usual", "Normal"), ("wide", "Wide"))),
    TextOption("indented", "Indented lines", (("mono", "Monospaced"), ("same", "Like other text"))),
    TextOption("theme", "Theme", (("system", "System"), ("light", "Light"), ("dark", "Dark"))),
    TextOption("topic", "Topic", (("whole", "In full"), ("line", "Folded to a line"))),
    TextOption("start", "Open long documents", (("passage", "At the best passage"), ("top", "At the top"))),
)


@frozen_dataclass
class TextSettings:
    """What was chosen; the values are those of CHOICES."""

    size: str = "3"
    face: str = "serif"
    spacing: str = "usual"
    indented: str = "mono"
    theme: str = "system"
    topic: str = "whole"
    start: str = "passage"


def text_settings(db: Session, account_id: int) -> TextSettings:
    """What an account chose; see `text_settings_of`."""
    return text_settings_of(desk_settings_part(db, account_id, TEXT_PART))


def text_settings_of(stored: object) -> TextSettings:
    """What was chosen, as stored; the usual for what was not chosen, or what this version does not know."""
    if not isinstance(stored, dict):
        return TextSettings()
    known = {choice.name: [value for value, _ in choice.options] for choice in TEXT_OPTIONS}
    kept = {name: value for name, value in stored.items() if name in known and value in known[name]}
    return TextSettings(**kept)


def save_text_settings(db: Session, account_id: int, chosen: Mapping[str, str]) -> TextSettings:
    """Keep what an account chooses; what is not named stays as it was. Raises InvalidInput."""
    findings = [
        Finding(
            choice.label,
            None,
            choice.name,
            f"{chosen[choice.name]!r} is not an option",
            "choose one of them",
        )
        for choice in TEXT_OPTIONS
        if choice.name in chosen and chosen[choice.name] not in {value for value, _ in choice.options}
    ]
    if findings:
        raise InvalidInput(findings)
    names = {field.name for field in fields(TextSettings)}
    changed = {name: value for name, value in chosen.items() if name in names}
    new = TextSettings(**{**asdict(text_settings(db, account_id)), **changed})
    save_desk_settings(db, account_id, TEXT_PART, asdict(new))
    return new


INTRODUCTION_PART = "introduction"


def is_introduced(db: Session, account_id: int, campaign_id: int) -> bool:
    """Whether an account has read, in this campaign, what judging is."""
    return campaign_id in _introduced(db, account_id)


def save_introduced(db: Session, account_id: int, campaign_id: int) -> None:
    """Keep that an account has read what judging is: it is not shown again in this campaign."""
    introduced = {*_introduced(db, account_id), campaign_id}
    save_desk_settings(db, account_id, INTRODUCTION_PART, {"campaigns": sorted(introduced)})


def _introduced(db: Session, account_id: int) -> list[int]:
    kept = desk_settings_part(db, account_id, INTRODUCTION_PART).get("campaigns")
    return [one for one in kept if isinstance(one, int)] if isinstance(kept, list) else []


MOST_WORDS = 5
LONGEST_WORD = 60
_LETTER = re.compile(r"\w")


def own_words(db: Session, assignment_id: int, account_id: int) -> tuple[str, ...]:
    """The words of an assignment's assessor in its topic; raises NotFound as `own_assignment`."""
    assignment = own_assignment(db, assignment_id, account_id).assignment
    note = db.get(AssessorNoteRow, (assignment.assessor_id, assignment.topic))
    stored = note.words if note is not None else []
    return tuple(word for word in stored if isinstance(word, str))[:MOST_WORDS]


def save_own_words(
    db: Session, assignment_id: int, account_id: int, words: Sequence[object]
) -> tuple[str, ...]:
    """Keep these words instead of those before; gives them as they are kept, each once.

    Raises NotFound as `own_assignment`, and InvalidInput for more than MOST_WORDS and for one that is too
    long or has neither letter nor digit.
    """
    assignment = own_assignment(db, assignment_id, account_id).assignment
    kept = _checked_words(words)
    changed = {"words": list(kept), "changed_at": datetime.now(UTC)}
    # Two tabs may come first at once: the later one counts, and the note beside the words stays as it is.
    db.execute(
        insert_or(db, AssessorNoteRow)
        .values(assessor_id=assignment.assessor_id, topic=assignment.topic, note="", **changed)
        .on_conflict_do_update(index_elements=["assessor_id", "topic"], set_=changed)
    )
    return kept


WORDS_PART = "adjudication_words"
MOST_TOPICS = 300
"""Of one account; the words of the topic that was changed longest ago go first."""


def adjudicator_words(db: Session, campaign_id: int, account_id: int, topic: str) -> tuple[str, ...]:
    """The words that an adjudicator highlights in a topic."""
    stored = desk_settings_part(db, account_id, WORDS_PART).get(_words_key(campaign_id, topic))
    known = stored if isinstance(stored, list) else []
    return tuple(word for word in known if isinstance(word, str))[:MOST_WORDS]


def save_adjudicator_words(
    db: Session, campaign_id: int, account_id: int, topic: str, words: Sequence[object]
) -> tuple[str, ...]:
    """Keep these words of an adjudicator instead of those before; raises InvalidInput as `save_own_words`."""
    kept = _checked_words(words)
    key = _words_key(campaign_id, topic)
    stored = desk_settings_part(db, account_id, WORDS_PART)
    others = [(name, value) for name, value in stored.items() if name != key]
    save_desk_settings(db, account_id, WORDS_PART, {**dict(others[1 - MOST_TOPICS :]), key: list(kept)})
    return kept


def _words_key(campaign_id: int, topic: str) -> str:
    # An id may hold bytes that are no text, which no database keeps in JSON.
    return f"{campaign_id}/{id_bytes(topic).hex()}"


def _checked_words(words: Sequence[object]) -> tuple[str, ...]:
    kept = tuple(dict.fromkeys(_checked_word(word) for word in words))
    if len(kept) > MOST_WORDS:
        raise rejected("My words", None, "words", f"{len(kept)} words", f"at most {MOST_WORDS}")
    return kept


def _checked_word(word: object) -> str:
    text = storable(" ".join(word.split())) if isinstance(word, str) else ""
    if not _LETTER.search(text):
        message, remedy = "a word has neither letter nor digit", "enter a word or a phrase"
        raise rejected("My words", None, "words", message, remedy)
    if len(text) > LONGEST_WORD:
        message, remedy = f"{text[:20]!r}… has {len(text)} characters", f"at most {LONGEST_WORD}"
        raise rejected("My words", None, "words", message, remedy)
    return text
