"""Runs: checked, submitted as a stream, described, judged by the organiser, downloaded.

Organisers and other readers see every run; participants see and send those of their groups, through the same
face as on their pages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO, cast

from flask import Blueprint
from typing_extensions import TypedDict
from werkzeug.wrappers import Response

from workbench.errors import InvalidInput, NotFound
from workbench.formats.run_report import report_to_json
from workbench.records import Verdict
from workbench.storage import Session
from workbench.web.access import here, member, organiser, takes_uploads, viewer
from workbench.web.api.fields import (
    FORBID,
    FileName,
    Flag,
    ManyNames,
    PageJson,
    PageQuery,
    buffered,
    sent,
    sorted_page,
)
from workbench.web.api.operations import Text, operation
from workbench.web.context import reading, reading_here, write_here, writing, writing_here
from workbench.web.downloads import attachment
from workbench.web.jobs import pack_runs_soon
from workbench.web.pages.run_records import Face, OrganiserFace, ParticipantFace
from workbench.web.requests import Values
from workbench.web.templating import fresh_id
from workbench.workflow.people.groups import Sender, group_named, matching
from workbench.workflow.people.membership import Role
from workbench.workflow.people.sessions import Scope
from workbench.workflow.runs.own_runs import own_runs, require_own_group
from workbench.workflow.runs.run_checks import check_file
from workbench.workflow.runs.run_metadata import COST_FIELDS, RunMetadata, read_metadata
from workbench.workflow.runs.run_records import (
    RunJson,
    RunRecordJson,
    give_verdict,
    run_json,
    run_record_json,
    runs_of,
)
from workbench.workflow.runs.uploads import add_to_batch, keep_files

blueprint = Blueprint("runs", __name__, url_prefix="/campaigns/<slug>/runs")
LOOKERS = (Role.ORGANISER, Role.ADJUDICATOR, Role.VIEWER, Role.PARTICIPANT)
looker = member(*LOOKERS)
sender_only = member(Role.ORGANISER, Role.PARTICIPANT)


class ReportFinding(TypedDict):
    """An error or warning in a file, which the report names once."""

    line: int | None
    column: int | None
    code: str
    message: str
    remedy: str


class RepairJson(TypedDict):
    """What an automatic repair of a run would change, and how many errors it would leave."""

    changes: list[str]
    errors_left: int


class RunCheckJson(TypedDict):
    """The check of a file as a run; `ok` says that it can be added."""

    file: str
    tag: str | None
    topics: int
    lines: int
    sha256: str | None
    verdict: str
    ok: bool
    error_count: int
    errors: list[ReportFinding]
    warnings: list[ReportFinding]
    repair: RepairJson | None


@sent
class RunFile:
    """A file of a run, and what is said of it; `group` is needed by participants of several groups only."""

    name: FileName
    group: str = ""
    kind: str = ""
    description: str = ""
    priority: str = ""
    seconds_per_query: str = ""
    index_bytes: str = ""
    replace: Flag = False

    def metadata(self, group_id: int | None) -> RunMetadata:
        """What is said of the run; raises InvalidInput."""
        names = ("kind", "description", "priority", *COST_FIELDS)
        return read_metadata({name: getattr(self, name) for name in names}, group_id=group_id)


@sent
class CheckedRunFile:
    """A file to be checked as a run."""

    name: FileName


class SentMetadata(TypedDict, total=False):
    """What is to be changed about a run, as texts; an empty one clears the field."""

    __pydantic_config__ = FORBID  # type: ignore[misc]  # as pydantic's documentation does
    group: str
    kind: str
    description: str
    priority: str
    seconds_per_query: str
    index_bytes: str


@sent
class SentVerdicts:
    """A verdict on several runs; the groups read the reason."""

    tags: ManyNames
    verdict: Verdict
    reason: str = ""


class JudgedRuns(TypedDict):
    """How many runs have another verdict now."""

    changed: int


@blueprint.get("")
@looker
@operation(PageJson[RunJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[RunJson]:
    """List the runs by tag; participants see those of their groups."""
    face = _face(LOOKERS[:3])
    with reading_here() as (db, campaign_id):
        found = own_runs(db, campaign_id, face.sender(db)) if face.own else runs_of(db, campaign_id)
    return sorted_page(found, query, key=lambda run: run.tag, form=run_json)


@blueprint.post("/check")
@takes_uploads
@sender_only
@operation(RunCheckJson, scope=Scope.RUNS, query=CheckedRunFile, takes_file=True)
def check(query: CheckedRunFile, file: BinaryIO) -> RunCheckJson:
    """Check a file as a run, with every error and warning; nothing is stored."""
    face = _face()
    with reading() as db:
        checker = face.checker(db, fresh_id())
    report = face.report(check_file(checker, query.name, buffered(file)).report)
    return cast(RunCheckJson, report_to_json(report))


@blueprint.post("")
@takes_uploads
@sender_only
@operation(RunJson, scope=Scope.RUNS, query=RunFile, takes_file=True, status=201)
def add(query: RunFile, file: BinaryIO) -> RunJson:
    """Submit a run, plain or gzip. A file with errors is refused, and the problem has all of them.

    With `replace` it takes the place of the run with the same tag; the old version is kept.
    """
    face, batch = _face(), fresh_id()
    with reading() as db:
        sender = face.sender(db)
        group_id = _group(db, sender, query.group)
        metadata = face.check_metadata(db, query.metadata(group_id))
        face.require_room(db, group_id)
        checker = face.checker(db, batch)
    upload = check_file(checker, query.name, buffered(file))
    report = face.report(upload.report)
    if report.errors:
        raise InvalidInput(report.errors)
    with writing_here() as (db, campaign_id):
        face.require_room(db, group_id, more=len(upload.content_gzip or b""))
        of_group = None if sender.organiser else group_id
        number = add_to_batch(db, campaign_id, batch, upload, sender, group_id=of_group)
        kept = keep_files(db, campaign_id, batch, [number], metadata, sender, replacing=query.replace)
        if kept.refused:
            # Nothing is kept, not even the file.
            raise InvalidInput(kept.refused)
    pack_runs_soon()
    with reading() as db:
        return run_json(face.record(db, kept.tags[0]).run)


@blueprint.post("/verdicts")
@organiser
@operation(JudgedRuns, scope=Scope.MANAGE, body=SentVerdicts)
def judge(body: SentVerdicts) -> JudgedRuns:
    """Accept runs, so that new pools include them, or set them aside."""
    changed = write_here(give_verdict, body.tags, body.verdict, reason=body.reason, by=viewer().id)
    return {"changed": changed}


@blueprint.get("/<id:tag>")
@looker
@operation(RunRecordJson)
def show(tag: str) -> RunRecordJson:
    """Show everything about a run, with its pools and earlier versions."""
    with reading() as db:
        return run_record_json(_face(LOOKERS[:3]).record(db, tag))


@blueprint.patch("/<id:tag>")
@sender_only
@operation(RunRecordJson, scope=Scope.RUNS, body=SentMetadata)
def change(tag: str, body: SentMetadata) -> RunRecordJson:
    """Change what is said of a run; fields that are not named stay."""
    face = _face()
    texts = {name: str(value) for name, value in body.items() if name != "group"}
    new = read_metadata(texts, source=tag)
    with writing() as db:
        now = face.record(db, tag).run.metadata
        sender = face.sender(db)
        changes: Values = {
            name: getattr(new, name) for name in ("kind", "description", "priority") if name in body
        }
        if "group" in body:
            changes["group_id"] = _group(db, sender, body["group"])
        costs = {name: getattr(new.cost, name) for name in COST_FIELDS if name in body}
        metadata = replace(now, **changes, cost=replace(now.cost, **costs))
        face.change(db, tag, metadata)
        return run_record_json(face.record(db, tag))


@blueprint.get("/<id:tag>/content")
@looker
@operation(Text("text/plain; charset=utf-8", "The run as it was sent, uncompressed."))
def content(tag: str) -> Response:
    """Download a run."""
    with reading() as db:
        name, plain = _face(LOOKERS[:3]).content(db, tag, None)
        return attachment(plain, name)


@blueprint.delete("/<id:tag>")
@sender_only
@operation(None, scope=Scope.RUNS)
def remove(tag: str) -> None:
    """Remove a run with all its versions, if it is in no pool."""
    with writing() as db:
        _face().remove(db, tag)


def _face(whole: tuple[Role, ...] = (Role.ORGANISER,)) -> Face:
    """The face of whoever has one of these roles, or else of a participant."""
    return OrganiserFace() if here().roles & set(whole) else ParticipantFace()


def _group(db: Session, sender: Sender, name: str) -> int | None:
    """The number of a group by its name; a participant of one group need not name it."""
    if sender.organiser:
        return group_named(db, here().id, name) if name else None
    own = {group: number for number, group in (sender.groups or {}).items()}
    if not name and len(own) == 1:
        return next(iter(own.values()))
    number = matching(name, own)
    if number is None and not name:
        raise NotFound("you submit runs for several groups", remedy=f"name one of {', '.join(sorted(own))}")
    return require_own_group(sender, number)
