"""The JSON of lists and errors, campaigns, topics, documents, runs, groups and people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Generic, TypeVar, cast

from typing_extensions import TypedDict

# Not from `typing`: of those, Python 3.11 does not say enough for a schema.

Item = TypeVar("Item")


class PageJson(TypedDict, Generic[Item]):
    """A part of a long list; `next` is the cursor of the part behind it, None in the last one."""

    items: list[Item]
    next: str | None


class FindingJson(TypedDict):
    """An error or warning about an input: where, what, how to fix it; `code` is stable."""

    source: str
    line: int | None
    code: str
    message: str
    remedy: str
    severity: str
    column: int | None


class ProblemJson(TypedDict):
    """An error, in the form of RFC 9457; `findings` name each error of a rejected input."""

    type: str
    title: str
    status: int
    detail: str
    remedy: str
    findings: list[FindingJson]
    request: str


class GradeJson(TypedDict):
    """A grade of a scale; `weight`, 0 to 3, is its colour."""

    value: int
    label: str
    key: str
    definition: str
    weight: int


class ScaleJson(TypedDict):
    """The grades of a campaign, lowest first, and the lowest one that counts as relevant."""

    relevant_from: int
    grades: list[GradeJson]


class CampaignJson(TypedDict):
    """A campaign; `slug` names it in addresses and commands."""

    slug: str
    name: str
    scale: ScaleJson


class OwnCampaign(CampaignJson):
    """A campaign as one of its people sees it, with this person's roles."""

    guidelines: str
    roles: list[str]
    archived: bool


class TopicJson(TypedDict):
    """A topic's statement; each of its subtopics has an id and a label."""

    topic: str
    title: str
    description: str
    narrative: str
    subtopics: list[tuple[str, str]]


class DocumentJson(TypedDict):
    """A document in a list."""

    docno: str
    title: str


class FullDocument(DocumentJson):
    """A document with its text, plain or HTML."""

    text: str


class LoadedFile(TypedDict):
    """What loading a file did; `passed_over` documents are in no pool."""

    file: str
    read: int
    added: int
    changed: int
    unchanged: int
    passed_over: int


class LoadedFiles(TypedDict):
    """What loading files did, and the docnos of pooled documents that are still missing."""

    files: list[LoadedFile]
    missing: list[str]


class RunFinding(TypedDict):
    """A warning about a run that was added."""

    line: int | None
    code: str
    message: str
    remedy: str


class RunJson(TypedDict):
    """A run with what is said of it and what was found in it."""

    tag: str
    group: str | None
    kind: str | None
    description: str
    priority: int | None
    seconds_per_query: float | None
    index_bytes: int | None
    verdict: str
    reason: str
    verdict_by: str | None
    verdict_at: str | None
    file: str
    topics: int
    lines: int
    sha256: str
    sent_by: str | None
    sent_at: str | None
    warnings: list[RunFinding]


class PoolOfRun(TypedDict):
    """A pool that was built from a run; `earlier_version` if the run was replaced since."""

    name: str
    sha256: str
    earlier_version: bool


class RunVersion(TypedDict):
    """An earlier version of a run."""

    sha256: str
    file: str
    group: str | None
    topics: int
    lines: int
    sent_by: str | None
    sent_at: str | None
    replaced_at: str | None
    pools: list[str]


class RunRecordJson(RunJson):
    """Everything about a run, with its pools and earlier versions; `bytes` is its plain size."""

    bytes: int
    pools: list[PoolOfRun]
    earlier_versions: list[RunVersion]


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


class PersonJson(TypedDict):
    """A person by login name and name."""

    login: str
    name: str


class GroupJson(TypedDict):
    """A group with the number of its runs, and of those without a verdict."""

    group: str
    runs: int
    received: int
    people: list[PersonJson]


class MemberJson(PersonJson):
    """A person of a campaign with all roles; `groups` are those for which a participant submits runs."""

    roles: list[str]
    groups: list[str]


class InvitationJson(TypedDict):
    """An invitation: to whom, as what, and what became of it."""

    invitation: int
    person: str
    role: str
    group: str
    state: str
    expires_at: str
    accepted_by: str


class InvitedJson(TypedDict):
    """An invitation that was just made or renewed; `link` is shown once."""

    invitation: int
    person: str
    role: str
    group: str
    expires_at: str
    link: str


Form = TypeVar("Form")


def filled(form: Callable[..., Form], record: object, **otherwise: Any) -> Form:
    """A form (a TypedDict) of a record; `otherwise` has the fields that are called or said otherwise there.

    Moments become ISO 8601. Raises AttributeError for a field that neither has.
    """
    names = form.__annotations__
    values = {name: otherwise[name] if name in otherwise else getattr(record, name) for name in names}
    return cast(Form, {name: _plain(value) for name, value in values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value
