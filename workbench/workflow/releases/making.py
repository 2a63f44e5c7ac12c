"""Releases are made: frozen from one snapshot of the campaign, while assessors go on judging; as JSON."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from datetime import datetime
from tempfile import TemporaryFile
from typing import Any, cast

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench import __version__
from workbench.errors import Conflict, Finding, InvalidInput, finding_to_json
from workbench.formats.identifiers import storable
from workbench.frozen import filled, frozen_dataclass
from workbench.releases.archive import UnreadFile
from workbench.releases.contents import VERSION, Included, ReleaseAbout, ReleaseContents
from workbench.releases.datasheet import ReleaseCounts, release_counts
from workbench.releases.files import release_parts
from workbench.releases.record_form import moment
from workbench.storage.engine import Database
from workbench.storage.releases import store_parts
from workbench.storage.tables import JudgmentEventRow, ReleaseRow
from workbench.workflow.campaigns.archive import locked_campaign
from workbench.workflow.campaigns.campaigns import Campaign, campaign_of
from workbench.workflow.clock import utc_now
from workbench.workflow.releases.collecting import (
    SEEDS,
    ReleaseRequest,
    collect_release,
    give_pseudonyms,
    have_pseudonyms,
    released_assessor_ids,
)
from workbench.workflow.releases.included import included_originals, included_runs
from workbench.workflow.releases.releases import Release, next_version, release_by_version

LONGEST_TEXT = 20_000
LONGEST_LINE = 300
FEW_ANSWERS = 2_000


class FindingJson(TypedDict):
    """An error or warning about an input: where, what, how to fix it; `code` is stable."""

    source: str
    line: int | None
    code: str
    message: str
    remedy: str
    severity: str
    column: int | None


class ReleaseJson(TypedDict):
    """A release; `kappa` is the pooled kappa of people, with its interval and `kappa_pairs`."""

    version: str
    title: str
    rule: str
    lines: int
    relevant: int
    relevant_from: int
    topics: int
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    kappa_pairs: int
    included: list[str]
    sha256: str
    size: int
    made_by: str
    made_at: str
    public_at: str | None
    withdrawn_by: str
    withdrawn_at: str | None
    withdrawn_reason: str
    public: bool
    withdrawn: bool


class MadeReleaseJson(ReleaseJson):
    """A release that was made, with its counts and what was still open."""

    counts: dict[str, Any]
    warnings: list[FindingJson]


@frozen_dataclass
class MadeRelease:
    """A release that was made: its line in the list, and its counts."""

    release: Release
    counts: ReleaseCounts


def make_release(
    database: Database,
    campaign_id: int,
    request: ReleaseRequest,
    *,
    made_by: int | None = None,
    now: datetime | None = None,
) -> MadeRelease:
    """Freeze the campaign as it is; the same campaign, request and time give the same bytes.

    Without a version it is the next one that is free when it is stored. Everything is computed from one
    reading transaction, so that no save waits for it. The files of runs and originals, which never change,
    are read one by one. Raises InvalidInput for a version or text that cannot be, Conflict for a version that
    exists, where there is no judgment, and for a run or an original that is removed meanwhile, and
    WorkbenchError as the rule does.
    """
    while not request.version:
        with database.reading() as db:
            version = next_version(db, campaign_id)
        try:
            return make_release(
                database, campaign_id, replace(request, version=version), made_by=made_by, now=now
            )
        except Conflict:
            with database.reading() as db:
                if next_version(db, campaign_id) == version:
                    raise
    _check_request(request)
    made_at = utc_now(now)
    seed = secrets.randbelow(SEEDS) if request.seed is None else request.seed
    frozen = None
    while frozen is None:
        with database.writing() as db:
            locked_campaign(db, campaign_id)
            known = ReleaseRow.campaign_id == campaign_id, ReleaseRow.version == request.version
            if db.scalar(select(ReleaseRow.id).where(*known)) is not None:
                raise version_exists(request.version)
            give_pseudonyms(db, campaign_id, released_assessor_ids(db, campaign_id), seed=seed)
        with database.reading() as db:
            # Somebody may have judged for the first time just now.
            if have_pseudonyms(db, campaign_id, released_assessor_ids(db, campaign_id)):
                frozen = _freeze(db, database, campaign_of(db, campaign_id), request, made_at)
    row, counts, parts = frozen
    row.seed, row.made_by = seed, made_by
    store_release(database, campaign_id, row, parts)
    with database.reading() as db:
        return MadeRelease(release_by_version(db, campaign_id, request.version), counts)


def releases_few_answers(db: Session, campaign_id: int) -> bool:
    """Whether a release of a campaign is made so soon that a request can do it itself."""
    counted = select(func.count()).where(JudgmentEventRow.campaign_id == campaign_id)
    return (db.scalar(counted) or 0) <= FEW_ANSWERS


def _freeze(
    db: Session, database: Database, campaign: Campaign, request: ReleaseRequest, made_at: datetime
) -> tuple[ReleaseRow, ReleaseCounts, Iterator[bytes]]:
    """A release before it is stored: its row, its counts, and its bytes in parts, which come once."""
    about = ReleaseAbout(
        name=campaign.slug,
        title=storable(" ".join(request.title.split())) or campaign.name,
        version=request.version,
        released_at=made_at,
        software=__version__,
        description=storable(request.description.strip()),
        authors=tuple(storable(" ".join(one.split())) for one in request.authors if one.strip()),
        licence=storable(request.licence.strip()),
        homepage=storable(request.homepage.strip()),
    )
    contents = collect_release(db, campaign, about, request)
    if not contents.qrels:
        raise Conflict(
            "there is nothing to release: the rule gives no pair a grade",
            remedy="judge first, or choose another rule",
        )
    counts = release_counts(contents)
    choice = request.choice
    given = {"name": choice.rule, "machines": choice.machines, "given": dict(choice.given)}
    row = ReleaseRow(
        version=request.version,
        rule={"label": contents.rule.label, **given},
        figures=_figures(contents, counts),
        made_at=made_at,
    )
    unread: dict[str, UnreadFile] = {}
    if Included.RUNS in request.included:
        unread |= included_runs(db, database, campaign.id)
    if Included.ORIGINALS in request.included:
        docnos = [one.docno for one in contents.documents]
        unread |= included_originals(db, database, campaign.id, docnos)
    return row, counts, release_parts(contents, unread)


def _figures(contents: ReleaseContents, counts: ReleaseCounts) -> dict[str, Any]:
    kappa = next((one for one in contents.agreement if one.name == "pooled"), None)
    return {
        "title": contents.about.title,
        "included": sorted(contents.included),
        "relevant_from": contents.rule.relevant_from,
        "counts": asdict(counts),
        "kappa": None if kappa is None else [kappa.value, kappa.low, kappa.high, kappa.n],
    }


def _check_request(request: ReleaseRequest) -> None:
    findings = []
    if not VERSION.fullmatch(request.version):
        message = f"{request.version[:60]!r} is not a version"
        remedy = "use at most 40 letters, digits, dots, hyphens and plus signs, such as 1.0"
        findings.append(Finding("Version", None, "version", message, remedy))
    if Included.ORIGINALS in request.included and Included.DOCUMENTS not in request.included:
        message = "originals are included with the documents only"
        findings.append(Finding("Included", None, "included", message, "include the documents as well"))
    if request.seed is not None and not 0 <= request.seed < SEEDS:
        findings.append(
            Finding("Seed", None, "seed", f"{request.seed} is not a seed", "use a whole number from 0")
        )
    if request.homepage.strip() and not re.match(r"https?://\S+$", request.homepage.strip()):
        message = "the homepage is not a web address"
        findings.append(
            Finding(
                "Homepage",
                None,
                "homepage",
                message,
                "enter an address such as https://example.org/collection",
            )
        )
    lines = (("Title", request.title), ("Licence", request.licence), ("Homepage", request.homepage))
    limits = [(name, text, LONGEST_LINE) for name, text in lines]
    limits += [("Authors", one, LONGEST_LINE) for one in request.authors]
    limits += [("Description", request.description, LONGEST_TEXT)]
    for name, text, most in limits:
        if len(text) > most:
            message = f"{len(text):,} characters are too many"
            findings.append(Finding(name, None, name.casefold(), message, f"at most {most:,}"))
    if findings:
        raise InvalidInput(findings)


def store_release(database: Database, campaign_id: int, row: ReleaseRow, content: Iterable[bytes]) -> None:
    """Store a new release with its bytes in one transaction, once all of them are there.

    Raises Conflict if the campaign has a release of this version by then; NotFound if the campaign was
    deleted; and whatever the content raises.
    """
    with TemporaryFile() as file:
        sha = hashlib.sha256()
        for piece in content:
            sha.update(piece)
            file.write(piece)
        row.campaign_id, row.sha256, row.size = campaign_id, sha.hexdigest(), file.tell()
        file.seek(0)
        with database.writing() as db:
            locked_campaign(db, campaign_id)
            version = row.version  # not to be read any more after a refusal
            db.add(row)
            try:
                db.flush()
            except IntegrityError:
                raise version_exists(version) from None
            store_parts(db, row.id, file)


def version_exists(version: str) -> Conflict:
    """What is raised for a version that the campaign has."""
    return Conflict(
        f"there is already a release {version}", remedy="choose another version: a release is never replaced"
    )


def release_json(found: Release) -> ReleaseJson:
    """A release in the list."""
    public_at, withdrawn_at = (
        None if one is None else moment(one) for one in (found.public_at, found.withdrawn_at)
    )
    made_at = moment(found.made_at)
    return filled(ReleaseJson, found, made_at=made_at, public_at=public_at, withdrawn_at=withdrawn_at)


def made_release_json(made: MadeRelease, still_open: Iterable[Finding]) -> MadeReleaseJson:
    """A release that was made, with its counts and what was still open."""
    warnings = [cast(FindingJson, finding_to_json(one)) for one in still_open]
    return {**release_json(made.release), "counts": asdict(made.counts), "warnings": warnings}
