"""The contents of a release from its files: what `files.release_parts` wrote, and nothing else."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from workbench.errors import InvalidInput, WorkbenchError, rejected
from workbench.formats.qrels import read_qrels
from workbench.outside import parsed_json
from workbench.records import Qrel, Scale
from workbench.releases import files as at
from workbench.releases.contents import (
    Included,
    ReleaseAbout,
    ReleaseContents,
    ReleasedAnswer,
    ReleasedAssessor,
    ReleasedDecision,
    ReleasedDocument,
    ReleasedEntry,
    ReleasedEstimate,
    ReleasedEvent,
    ReleasedInstructions,
    ReleasedPool,
    ReleasedPreference,
    ReleasedQuestion,
    ReleasedRun,
    ReleasedTopic,
    ReleaseRule,
    UndrawnPair,
)
from workbench.releases.files import FORM
from workbench.releases.record_form import from_object, read_records

Record = TypeVar("Record")
Files = Mapping[str, bytes]
_NEWER = "read it with a newer version of Workbench"


def read_contents(files: Files, *, leaving: Collection[str] = ()) -> ReleaseContents:
    """The contents of a release from its files by path, each asked for when its turn comes.

    `leaving` are fields that stay empty and whose files are not asked for: answers, decisions, documents,
    preferences, pools, and runs, of which only the content is left.
    Raises InvalidInput for a file that is missing, another form, and every record that is not one.
    """
    manifest = _manifest(files)
    try:
        agreement = manifest["agreement"]
        return ReleaseContents(
            about=from_object(ReleaseAbout, manifest["about"]),
            scale=_scale(manifest["scale"]),
            guidelines=_file(files, at.GUIDELINES).decode(),
            rule=from_object(ReleaseRule, manifest["rule"]),
            included=frozenset(map(Included, manifest["included"])),
            questions=_many(ReleasedQuestion, manifest["questions"]),
            topics=tuple(one.topic for one in _records(files, at.TOPICS, ReleasedTopic)),
            documents=() if "documents" in leaving else _documents(files),
            assessors=_many(ReleasedAssessor, manifest["assessors"], leaving="answers"),
            answers=() if "answers" in leaving else _records(files, at.ANSWERS, ReleasedAnswer),
            decisions=() if "decisions" in leaving else _records(files, at.DECISIONS, ReleasedDecision),
            preferences=()
            if "preferences" in leaving
            else _records(files, at.PREFERENCES, ReleasedPreference),
            pools=() if "pools" in leaving else _pools(files),
            runs=_runs({} if "runs" in leaving else files, manifest["runs"]),
            qrels=_qrels(files),
            unsettled=int(manifest["counts"]["unsettled"]),
            agreement=_many(ReleasedEstimate, agreement["estimates"]),
            agreement_undefined=str(agreement["undefined"]),
            instructions=_records(files, at.INSTRUCTIONS, ReleasedInstructions)
            if at.INSTRUCTIONS in files
            else (),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _refused(at.MANIFEST, f"a part is missing or has another form: {error}") from None
    except ValueError as error:
        raise _refused(at.MANIFEST, str(error)) from None


def _manifest(files: Files) -> dict[str, Any]:
    try:
        found = parsed_json(_file(files, at.MANIFEST))
    except ValueError as error:
        raise _refused(at.MANIFEST, f"this is not JSON: {error}") from None
    form = found.get("form") if isinstance(found, dict) else None
    if form != FORM:
        raise _refused(at.MANIFEST, f"the form is {ascii(form)[:60]}, not {FORM}", _NEWER)
    return dict(found)


def _scale(given: Any) -> Scale:
    try:
        return from_object(Scale, given)
    except WorkbenchError as error:
        raise ValueError(f"scale: {error}") from None


def _pools(files: Files) -> tuple[ReleasedPool, ...]:
    pools = _many(ReleasedPool, parsed_json(_file(files, at.POOLS)))
    found = []
    for number, pool in enumerate(pools, 1):
        entries = _records(files, at.pool_path(number), ReleasedEntry)
        path = at.undrawn_path(number)
        undrawn = _records(files, path, UndrawnPair) if path in files else ()
        path = at.events_path(number)
        events = _records(files, path, ReleasedEvent) if path in files else ()
        found.append(replace(pool, entries=entries, undrawn=undrawn, events=events))
    return tuple(found)


def _documents(files: Files) -> tuple[ReleasedDocument, ...]:
    found = []
    for document in _records(files, at.DOCUMENTS, ReleasedDocument):
        path = at.original_path(document.original)
        if document.original and path in files:
            document = replace(document, content=files[path])
            if hashlib.sha256(files[path]).hexdigest() != document.original:
                raise _refused(path, "the file is not the one that the document names")
        found.append(document)
    return tuple(found)


def _runs(files: Files, given: Any) -> tuple[ReleasedRun, ...]:
    found = []
    for run in _many(ReleasedRun, given):
        content = files.get(at.run_path(run.sha256))
        if content is not None and hashlib.sha256(content).hexdigest() != run.sha256:
            raise _refused(at.run_path(run.sha256), "the file is not the run that the manifest names")
        found.append(replace(run, content=content))
    return tuple(found)


def _qrels(files: Files) -> tuple[Qrel, ...]:
    content = _file(files, at.QRELS)
    return read_qrels(io.BytesIO(content), source=at.QRELS) if content else ()


def _records(files: Files, path: str, kind: type[Record]) -> tuple[Record, ...]:
    return read_records(_file(files, path), kind, source=path)


def _many(kind: type[Record], given: Iterable[Any], *, leaving: str = "") -> tuple[Record, ...]:
    return tuple(
        from_object(kind, {name: value for name, value in one.items() if name != leaving}) for one in given
    )


def _file(files: Files, path: str) -> bytes:
    if path not in files:
        raise rejected(path, None, "missing", "the release has no such file", "download it again")
    return files[path]


def _refused(source: str, message: str, remedy: str = "download the release again") -> InvalidInput:
    return rejected(source, None, "form", message, remedy)
