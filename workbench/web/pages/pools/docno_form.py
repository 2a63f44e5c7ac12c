"""The form by which documents are added by hand: docnos typed, pasted or from a file, and the reason."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, cast

from flask import request

from workbench.errors import Finding, InvalidInput
from workbench.formats.docnos import read_docnos
from workbench.web.forms import counted
from workbench.web.rendering import plain_words
from workbench.workflow.pools.additions import Added

PASTED = "Docnos"


@dataclass(frozen=True, slots=True)
class SentDocnos:
    """Docnos with their lines, where they stood, and the reason."""

    docnos: Mapping[str, int]
    source: str
    reason: str


def read_additions() -> SentDocnos:
    """What the form brings; raises InvalidInput, and a file and typed docnos together are refused."""
    typed = request.form.get("docnos", "")
    file = next((one for one in request.files.getlist("file") if one.filename), None)
    if file is not None and typed.strip():
        message = "docnos are typed and a file is chosen as well"
        raise InvalidInput([Finding(PASTED, None, "docnos", message, "send one of the two")])
    if file is not None:
        source = plain_words((file.filename or "").replace("\\", "/").rpartition("/")[2])[-200:] or "file"
        stream = cast(BinaryIO, file.stream)
    elif typed.strip():
        source, stream = PASTED, io.BytesIO(typed.encode("utf-8", "surrogateescape"))
    else:
        remedy = "type one or more, or choose a file with one a line"
        raise InvalidInput([Finding(PASTED, None, "docnos", "there is no docno", remedy)])
    return SentDocnos(read_docnos(stream, source=source), source, request.form.get("reason", ""))


def added_in_words(added: Added, *, pools: bool) -> tuple[str, ...]:
    """What was added and what was not, in sentences; `pools` names those that have the others already."""
    said = []
    if added.added:
        said.append(f"{counted(len(added.added), 'document')} added.")
    if added.passed:
        names = sorted({one.pool for one in added.passed}) if pools else []
        where = f" ({', '.join(names)})" if names else ""
        number = counted(len(added.passed), "document is", "documents are")
        said.append(f"{number} pooled already{where} and passed over: {_some(added)}")
    if added.without_text:
        number = counted(len(added.without_text), "has", "have")
        said.append(f"{number} no text yet, so nobody can judge them.")
    return tuple(said)


def _some(added: Added) -> str:
    shown = [one.docno for one in added.passed[:5]]
    return ", ".join(shown) + (" …" if len(added.passed) > len(shown) else ".")
