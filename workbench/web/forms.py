"""Forms: files, numbers and ids from a request, and errors in them as findings.

A form that changes what others may change meanwhile carries what it was made from. A field that was not
touched stays as it is now, whoever changed it; one that two people changed is refused once, with both values
shown.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from typing import Any, BinaryIO, TypeVar, cast

from flask import abort, g, make_response, request
from werkzeug import Response

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, WorkbenchError, rejected
from workbench.figures import counted
from workbench.formats.identifiers import storable
from workbench.web import notices
from workbench.web.rendering import plain_words
from workbench.web.requests import Values, go_to, read_id

Files = list[tuple[str, BinaryIO]]
Findings = tuple[Finding, ...]
Item = TypeVar("Item")
Result = TypeVar("Result")
Kind = TypeVar("Kind", bound=StrEnum)
LONGEST_FILE_NAME = 200
# Notices are stored in a cookie, which has room for a few.
MOST_SENTENCES, SHOWN = 4, 60

_WHOLE = re.compile(r"-?[0-9]{1,18}")


def sent_files(field: str = "files") -> Files:
    """The files of a form with printable names; raises InvalidInput if none was chosen."""
    files = [
        (_file_name(one.filename), cast(BinaryIO, one.stream))
        for one in request.files.getlist(field)
        if one.filename
    ]
    if not files:
        raise rejected("Files", None, field, "no file was chosen", "choose one or more")
    return files


def wants_json() -> bool:
    """Whether a program sent the form, which prefers JSON to a page."""
    best = request.accept_mimetypes.best_match(["text/html", "application/json"])
    return best == "application/json"


def with_each(
    files: Iterable[tuple[str, Item]], act: Callable[[str, Item], Result]
) -> list[tuple[str, Result]]:
    """Call `act` for every file; raises InvalidInput with the errors of all files."""
    done: list[tuple[str, Result]] = []
    findings: list[Finding] = []
    for name, file in files:
        try:
            done.append((name, act(name, file)))
        except InvalidInput as error:
            findings.extend(error.findings)
    if findings:
        raise InvalidInput(findings)
    return done


def whole_number(text: str) -> int | None:
    """The whole number in a text, or None if it is not one."""
    text = text.strip().replace("−", "-")
    return int(text) if text.isascii() and _WHOLE.fullmatch(text) else None


def form_text(field: str) -> str:
    """The text of a field of the form, empty without it."""
    return request.form.get(field, "")


def query_text(field: str) -> str:
    """The text of a field of the address, empty without it."""
    return request.args.get(field, "")


def form_number(field: str) -> int | None:
    """The whole number in a field of the form, or None if there is none."""
    return whole_number(form_text(field))


def query_number(field: str) -> int | None:
    """The whole number in a field of the address, or None if there is none."""
    return whole_number(query_text(field))


def sent_numbers(field: str) -> list[int]:
    """The whole numbers in all fields of one name; any other text in one is passed over."""
    numbers = map(whole_number, request.form.getlist(field))
    return [number for number in numbers if number is not None]


def named(kind: type[Kind], text: str | None) -> Kind | None:
    """The member of an enumeration that a text names, None for any other text."""
    return next((one for one in kind if one == text), None)


def sent_words() -> list[Any]:
    """The words that a script sends as `{"words": [...]}`; raises InvalidInput."""
    sent = request.get_json(silent=True)
    words = sent.get("words") if isinstance(sent, dict) else None
    if not isinstance(words, list):
        raise rejected("My words", None, "words", "the body is not a list of words")
    return words


def sent_text(field: str) -> str:
    """The text of a field with normalised line ends, without characters that no database stores."""
    return storable(request.values.get(field, "")).replace("\r\n", "\n")


def sent_ids(field: str) -> list[str]:
    """The ids in all fields of one name; raises NotFound for a text that cannot be an id."""
    ids = [read_id(text) for text in request.values.getlist(field)]
    for identifier in ids:
        if storable(identifier) != identifier:
            raise NotFound("this is not a valid id", remedy="use the links on the pages")
    return ids


def sent_id(field: str) -> str:
    """The id in a field, empty if there is none; raises NotFound for a text that cannot be an id."""
    return next(iter(sent_ids(field)), "")


def findings_of(error: WorkbenchError, source: str, code: str = "") -> Findings:
    """The findings of an error, to show with the form; `code` is the field of an error without findings."""
    if isinstance(error, InvalidInput):
        return error.findings
    return (Finding(source, None, code, error.message, error.remedy),)


class NotNow(InvalidInput):
    """A form that may be accepted later as it is."""


def status_of(error: WorkbenchError) -> int:
    """The HTTP status of a rejected form."""
    return 409 if isinstance(error, Conflict) else 503 if isinstance(error, NotNow) else 422


@contextmanager
def errors_on(
    page: Callable[..., str], source: str | None = None, code: str = "", *, of: str = ""
) -> Iterator[None]:
    """Answer a form that is refused with its page, which shows the `findings`.

    `source` and `code` name the field of an error without findings; without a source it passes. `of` is the
    one field of a form in which everything is wrong that is.
    """
    try:
        yield
    except WorkbenchError as error:
        if source is None and not isinstance(error, InvalidInput):
            raise
        findings = findings_of(error, source or "", code)
        if of:
            findings = tuple(replace(finding, code=of) for finding in findings)
        abort(make_response(page(findings=findings), status_of(error)))


def accepted(text: str, endpoint: str, **values: Any) -> Response:
    """Go on to a page, which says what the form has done."""
    notices.add(text)
    return go_to(endpoint, **values)


def announce(done: Sequence[tuple[str, str]], then: tuple[str, str] | None = None) -> None:
    """Show a notice on the next page for each (file, sentence), for many files only for the first.

    The last of them has the link `then`.
    """
    sentences = [
        f"{name if len(name) <= SHOWN else name[:SHOWN] + '…'}: {sentence}"
        for name, sentence in done[:MOST_SENTENCES]
    ]
    if len(done) > MOST_SENTENCES:
        sentences.append(f"And {counted(len(done) - MOST_SENTENCES, 'more file', 'more files')}.")
    for sentence in sentences:
        notices.add(sentence, then=then if sentence is sentences[-1] else None)


def announce_notes(notes: Sequence[str]) -> None:
    """Show on the next page what a reader decided, of many notes the first."""
    for note in notes[:MOST_SENTENCES]:
        notices.add(note, "fair")


def _file_name(name: str | None) -> str:
    # Some browsers send a path.
    return plain_words(re.split(r"[/\\]", name or "")[-1])[-LONGEST_FILE_NAME:] or "file"


FIELD = "was"
LONGEST_SHOWN = 120
"""Characters of another's value within a message."""


class ChangedMeanwhile(InvalidInput):
    """Somebody else changed fields of a form after it was opened; `now` has what they are, by name."""

    def __init__(self, now: Mapping[str, Any]) -> None:
        remedy = "compare the two, then save again"
        super().__init__(
            [
                Finding(
                    name.capitalize().replace("_", " "),
                    None,
                    name,
                    f"somebody else changed this{_to(value)} after you opened the page",
                    remedy,
                )
                for name, value in now.items()
            ]
        )


def _to(value: object) -> str:
    shown = in_a_line(value)
    return f" to {shown}" if shown else ""


def in_a_line(value: object) -> str | None:
    """A value as a message names it; None where it is too long for one."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "nothing"
    if not isinstance(value, int | str) or len(str(value)) > LONGEST_SHOWN or "\n" in str(value):
        return None
    return f"“{value}”" if isinstance(value, str) else str(value)


def mark(value: object) -> str:
    """A short hash of a value that JSON can have."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def marks(now: Mapping[str, Any]) -> str:
    """What the hidden field `was` of a form says of the values that it was made from.

    The page that refuses a form shows it as it was typed, and so says of it what the form had said; only of
    what two people changed it shows the other value too.
    """
    was, both = _was(), theirs()
    return " ".join(
        f"{name}={mark(value) if name in both else was.get(name, mark(value))}" for name, value in now.items()
    )


def theirs() -> Mapping[str, Any]:
    """What somebody else has saved of the fields that the refused form would change too, by name."""
    found: Mapping[str, Any] = g.get(FIELD, {})
    return found


def merged(typed: Mapping[str, Any], now: Mapping[str, Any]) -> Values:
    """The values to save: what was typed where a field was touched, and what there is now elsewhere.

    To be called in the transaction that saves. A form without the field `was` is taken as it is. Raises
    ChangedMeanwhile.
    """
    was = _was()
    untouched = {name for name, value in typed.items() if mark(value) == was.get(name)}
    both = {
        name: now[name]
        for name in typed.keys() - untouched
        if name in was and mark(now[name]) not in (was[name], mark(typed[name]))
    }
    if both:
        setattr(g, FIELD, both)
        raise ChangedMeanwhile(both)
    return {name: now[name] if name in untouched else value for name, value in typed.items()}


def _was() -> dict[str, str]:
    """What the form that was sent says that it was made from."""
    return dict(part.split("=", 1) for part in form_text(FIELD).split() if "=" in part)
