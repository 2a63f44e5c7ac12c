"""Forms: files, numbers and ids out of a request, and what is wrong with them as findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO, TypeVar, cast

from flask import request

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, WorkbenchError
from workbench.web import notices
from workbench.web.ids import read_id
from workbench.web.rendering import plain_words
from workbench.workflow.checks import storable

Files = list[tuple[str, BinaryIO]]
Item = TypeVar("Item")
Result = TypeVar("Result")
LONGEST_FILE_NAME = 200
# Notices travel in a cookie, which has room for a few.
MOST_SENTENCES, SHOWN = 4, 60

_WHOLE = re.compile(r"-?[0-9]{1,18}")


def sent_files(field: str = "files") -> Files:
    """The files of a form, by names that can be shown; raises InvalidInput where none was chosen."""
    files = [
        (_file_name(one.filename), cast(BinaryIO, one.stream))
        for one in request.files.getlist(field)
        if one.filename
    ]
    if not files:
        raise InvalidInput([Finding("Files", None, field, "no file was chosen", "choose one or more")])
    return files


def with_each(
    files: Iterable[tuple[str, Item]], act: Callable[[str, Item], Result]
) -> list[tuple[str, Result]]:
    """Do the same with every file, open or read; raises InvalidInput with what is wrong in all of them."""
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
    """The whole number that was typed, or None where it is none."""
    text = text.strip().replace("−", "-")
    return int(text) if text.isascii() and _WHOLE.fullmatch(text) else None


def sent_text(field: str) -> str:
    """The text of a field, with its lines ended alike and without what no database keeps."""
    return storable(request.values.get(field, "")).replace("\r\n", "\n")


def sent_ids(field: str) -> list[str]:
    """The ids that the fields of one name hold; raises NotFound for what nothing can be called."""
    ids = [read_id(text) for text in request.values.getlist(field)]
    for identifier in ids:
        if storable(identifier) != identifier:
            raise NotFound("nothing here has this id", remedy="follow the links of the pages")
    return ids


def sent_id(field: str) -> str:
    """The id that a field holds; raises NotFound for what nothing can be called."""
    return next(iter(sent_ids(field)), "")


def findings_of(error: WorkbenchError, source: str, code: str = "") -> tuple[Finding, ...]:
    """What an error says, for the page on which the form stands; `code` names the field it belongs to."""
    if isinstance(error, InvalidInput):
        return error.findings
    return (Finding(source, None, code, error.message, error.remedy),)


def status_of(error: WorkbenchError) -> int:
    """The status of a form that was not taken."""
    return 409 if isinstance(error, Conflict) else 422


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 topic`, `1,239 topics`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def announce(done: Sequence[tuple[str, str]]) -> None:
    """Have said on the next page what became of each (file, sentence); of many files only of the first."""
    for name, sentence in done[:MOST_SENTENCES]:
        notices.add(f"{name if len(name) <= SHOWN else name[:SHOWN] + '…'}: {sentence}")
    if len(done) > MOST_SENTENCES:
        notices.add(f"And {counted(len(done) - MOST_SENTENCES, 'more file', 'more files')}.")


def _file_name(name: str | None) -> str:
    # Some browsers send a path.
    return plain_words(re.split(r"[/\\]", name or "")[-1])[-LONGEST_FILE_NAME:] or "file"
