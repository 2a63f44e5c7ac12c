"""Releases: listed, downloaded, made public, withdrawn with a reason, and what the next one would have.

What stands in a stored one: its files, what it says of itself, and runs scored against it. A stranger's run
is checked, bounded and never stored.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import Any, BinaryIO

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, aliased

from workbench.consensus.rules import RuleChoice
from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Severity, rejected
from workbench.figures import counted
from workbench.formats.identifiers import storable
from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run_top
from workbench.frozen import frozen_dataclass, record_of
from workbench.records import Qrel, id_bytes
from workbench.releases.files import CHECKSUMS, MANIFEST, QRELS
from workbench.releases.zipped import ZippedFiles
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import Scorer
from workbench.scoring.significance import MeanScore, mean_score
from workbench.storage.releases import StoredFile, read_parts
from workbench.storage.tables import AccountRow, ReleaseRow
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import dispute_counts
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.clock import utc_now
from workbench.workflow.pools.pooled_topics import opened_by_topic
from workbench.workflow.qrels.qrels import make_qrels, unjudged_pairs

LONGEST_REASON = 2000
FIRST = "1.0"


@frozen_dataclass
class Release:
    """A release in the list. `rule` is the label of its rule, `kappa` the pooled kappa of people.

    `size` is in bytes. A release is public from `public_at` on; a withdrawn one has `withdrawn_at` and a
    reason.
    """

    id: int
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
    included: tuple[str, ...]
    sha256: str
    size: int
    made_by: str
    made_at: datetime
    public_at: datetime | None
    withdrawn_by: str
    withdrawn_at: datetime | None
    withdrawn_reason: str

    @property
    def public(self) -> bool:
        """Whether outsiders may see it."""
        return self.public_at is not None

    @property
    def withdrawn(self) -> bool:
        """Whether it was withdrawn."""
        return self.withdrawn_at is not None

    @property
    def file_name(self) -> str:
        """What its zip is called, without the campaign's name before it."""
        return f"{self.version}.zip"


@frozen_dataclass
class ReleaseReadiness:
    """What a release would freeze now: a version to propose, and how much is still open.

    `lines` of the `pairs`, which are pooled or judged, would be in the qrels.
    """

    version: str
    lines: int
    pairs: int
    warnings: tuple[Finding, ...]


def release_readiness(db: Session, campaign_id: int, choice: RuleChoice) -> ReleaseReadiness:
    """What a release by this rule would freeze now, and what is still open; raises as the rule does."""
    report = make_qrels(db, campaign_id, choice)
    pooled = opened_by_topic(db, campaign_id)
    open_ = [one for one in report.settled.unsettled if one.topic in pooled]
    judged = sum(id_bytes(one.docno) in pooled[one.topic].docnos for one in open_)
    unjudged = unjudged_pairs(db, campaign_id, report) - judged
    disputes = dispute_counts(db, campaign_id)
    waiting = sum(count for state, count in disputes.items() if state not in (State.DECIDED, State.SETTLED))
    lines, unsettled = report.summary.settled, report.summary.unsettled
    warnings = []
    for count, code, message, remedy in (
        (waiting, "disputes", "disputed {} no decision", "decide them, or say so in the description"),
        (unjudged, "unjudged", "pooled {} no judgment", "most measures count them as not relevant"),
        (
            unsettled,
            "unsettled",
            "judged {} no grade by this rule",
            "choose another rule, or decide them",
        ),
    ):
        if count:
            words = message.format("pair has" if count == 1 else "pairs have")
            warnings.append(Finding("Release", None, code, f"{count:,} {words}", remedy, Severity.WARNING))
    empty = len(report.summary.without_relevant)
    if empty:
        words = f"{counted(empty, 'topic')} without a relevant document"
        remedy = "most measures give every run 0 there, and every mean counts it"
        warnings.append(Finding("Release", None, "empty-topics", words, remedy, Severity.WARNING))
    return ReleaseReadiness(
        version=next_version(db, campaign_id),
        lines=lines,
        pairs=lines + unsettled + unjudged,
        warnings=tuple(warnings),
    )


def next_version(db: Session, campaign_id: int) -> str:
    """The version after the latest release, its last number one higher; 1.0 for the first."""
    existing = set(db.scalars(select(ReleaseRow.version).where(ReleaseRow.campaign_id == campaign_id)))
    found = releases_of(db, campaign_id)
    version = found[0].version if found else FIRST
    while version in existing:
        numbers = re.fullmatch(r"(.*?)(\d{1,9})", version)
        version = f"{numbers[1]}{int(numbers[2]) + 1}" if numbers else f"{version}.1"
    return version


def releases_of(db: Session, campaign_id: int) -> tuple[Release, ...]:
    """The releases of a campaign, the latest first."""
    rows = db.execute(_chosen(campaign_id).order_by(ReleaseRow.id.desc()))
    return tuple(_release(*row) for row in rows)


def release_by_version(db: Session, campaign_id: int, version: str) -> Release:
    """The release with this version; raises NotFound."""
    row = db.execute(_chosen(campaign_id).where(ReleaseRow.version == version)).one_or_none()
    if row is None:
        raise _no_release(version)
    return _release(*row)


def release_parts(db: Session, release: Release) -> Iterator[bytes]:
    """The bytes of a release's zip, as they were made, in parts."""
    yield from read_parts(db, release.id)


def publish_release(db: Session, campaign_id: int, version: str, *, now: datetime | None = None) -> Release:
    """Let outsiders see a release; raises NotFound, Conflict for one that is public or withdrawn."""
    row = _locked(db, campaign_id, version)
    if row.withdrawn_at is not None:
        raise Conflict(f"release {version} was withdrawn", remedy="create a new version")
    if row.public_at is not None:
        raise Conflict(f"release {version} is already public", remedy="reload the page")
    row.public_at = utc_now(now)
    db.flush()
    return release_by_version(db, campaign_id, version)


def unpublish_release(db: Session, campaign_id: int, version: str) -> Release:
    """Show a release to members only; raises NotFound, Conflict for one that is not public.

    A withdrawn release that was public stays so: its address has to say why it was withdrawn.
    """
    row = _locked(db, campaign_id, version)
    if row.public_at is None:
        raise Conflict(f"release {version} is not public", remedy="reload the page")
    if row.withdrawn_at is not None:
        raise Conflict(f"release {version} was withdrawn", remedy="its page stays, so that readers see why")
    row.public_at = None
    db.flush()
    return release_by_version(db, campaign_id, version)


def withdraw_release(
    db: Session,
    campaign_id: int,
    version: str,
    *,
    reason: str,
    by: int | None = None,
    now: datetime | None = None,
) -> Release:
    """Withdraw a release for a reason that stays visible; its bytes stay, for whoever must check a paper.

    Raises NotFound, Conflict for one that was withdrawn before, InvalidInput without a reason.
    """
    row = _locked(db, campaign_id, version)
    reason = storable(reason.strip())
    if row.withdrawn_at is not None:
        raise Conflict(f"release {version} was withdrawn before", remedy="reload the page")
    if not reason or len(reason) > LONGEST_REASON:
        message = "the reason is missing" if not reason else f"the reason has {len(reason):,} characters"
        remedy = "say what is wrong with it" if not reason else f"at most {LONGEST_REASON:,}"
        raise rejected("Reason", None, "reason", message, remedy)
    row.withdrawn_at, row.withdrawn_by, row.withdrawn_reason = utc_now(now), by, reason
    db.flush()
    return release_by_version(db, campaign_id, version)


def _chosen(campaign_id: int) -> Select[ReleaseRow, str | None, str | None]:
    maker, withdrawer = aliased(AccountRow), aliased(AccountRow)
    return (
        select(ReleaseRow, maker.name, withdrawer.name)
        .outerjoin(maker, maker.id == ReleaseRow.made_by)
        .outerjoin(withdrawer, withdrawer.id == ReleaseRow.withdrawn_by)
        .where(ReleaseRow.campaign_id == campaign_id)
    )


def _release(row: ReleaseRow, made_by: str | None, withdrawn_by: str | None) -> Release:
    figures = row.figures
    value, low, high, pairs = figures["kappa"] or (None, None, None, 0)
    return record_of(
        Release,
        row,
        title=figures["title"],
        rule=row.rule["label"],
        lines=figures["counts"]["lines"],
        relevant=figures["counts"]["relevant"],
        relevant_from=figures["relevant_from"],
        topics=figures["counts"]["topics_judged"],
        kappa=value,
        kappa_low=low,
        kappa_high=high,
        kappa_pairs=pairs,
        included=tuple(figures["included"]),
        made_by=made_by or "",
        withdrawn_by=withdrawn_by or "",
    )


def _locked(db: Session, campaign_id: int, version: str) -> ReleaseRow:
    row = db.scalar(
        select(ReleaseRow)
        .where(ReleaseRow.campaign_id == campaign_id, ReleaseRow.version == version)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    if row is None:
        raise _no_release(version)
    return row


def _no_release(version: str) -> NotFound:
    message = f"there is no release {version[:40]!r} of this campaign"
    return NotFound(message, remedy="see the list of its releases")


@frozen_dataclass
class FileLine:
    """A file of a release: its path, size in bytes and SHA-256, which is empty for the two that list them."""

    path: str
    size: int
    sha256: str


@frozen_dataclass
class ReleaseSheet:
    """What the page of a release says: its line in the list, how it is cited, its files and grades."""

    release: Release
    name: str
    citation: str
    description: str
    licence: str
    homepage: str
    software: str
    topics: int
    files: tuple[FileLine, ...]
    scale: tuple[tuple[int, str], ...]

    @property
    def file_name(self) -> str:
        """What its zip is called."""
        return f"{self.name}-{self.release.file_name}"


def release_sheet(db: Session, release: Release) -> ReleaseSheet:
    """What the page of a release says, from the release itself."""
    with StoredFiles(db, release) as files:
        manifest: dict[str, Any] = json.loads(files[MANIFEST])
        sizes = {one.filename: one.file_size for one in files.archive.infolist()}
    about, hashes = manifest["about"], manifest["files"]
    return ReleaseSheet(
        release=release,
        name=about["name"],
        citation=manifest["citation"],
        description=about.get("description", ""),
        licence=about.get("licence", ""),
        homepage=about.get("homepage", ""),
        software=about["software"],
        topics=manifest["counts"]["topics"],
        files=tuple(
            FileLine(path, size, hashes[path]["sha256"] if path in hashes else "")
            for path, size in sizes.items()
            if path != CHECKSUMS
        ),
        scale=tuple((one["value"], one["label"]) for one in manifest["scale"]["grades"]),
    )


def released_qrels(db: Session, release: Release) -> tuple[Qrel, ...]:
    """The qrels of a release."""
    with StoredFiles(db, release) as files:
        return read_qrels(io.BytesIO(files[QRELS]), source=QRELS)


def public_release(db: Session, slug: str, version: str) -> Release:
    """A release that outsiders may see; raises the same NotFound for every other."""
    nothing = NotFound("there is no such release", remedy="ask the person who gave you the address")
    try:
        campaign = campaign_by_slug(db, slug, even_archived=True)
        release = release_by_version(db, campaign.id, version)
    except NotFound:
        raise nothing from None
    if not release.public:
        raise nothing
    return release


class StoredFiles(ZippedFiles):
    """The files of a stored release by path, each read from the database when it is asked for."""

    def __init__(self, db: Session, release: Release) -> None:
        stored = io.BufferedReader(StoredFile(db, release.id, release.size))
        super().__init__(stored, source=f"release {release.version}")


MOST_BYTES = 4 * 2**20
"""Of a run as it is sent; gzip makes a run of 1,000 documents a topic on 500 topics that small."""
MOST_UNPACKED = 32 * 2**20
DEPTH = 1000
_GZIP = b"\x1f\x8b"


@frozen_dataclass
class ScoreLine:
    """A measure's mean over all topics of the qrels, with its interval."""

    measure: str
    mean: MeanScore


@frozen_dataclass
class StrangersScore:
    """The scores of a run: over how many topics, and for how many of them it has documents."""

    tag: str
    topics: int
    topics_scored: int
    lines: tuple[ScoreLine, ...]


def measures_for(release: Release) -> str:
    """The measures that the page computes: those of two grades by the threshold of the release."""
    at = release.relevant_from
    relevant = "" if at == 1 else f"(rel={at})"
    return f"AP{relevant} nDCG@10 P{relevant}@10 RR{relevant} Bpref{relevant} Judged@10"


def score_strangers_run(db: Session, release: Release, stream: BinaryIO, source: str) -> StrangersScore:
    """Score a run, plain or gzip, by `measures_for`; of each topic its first thousand documents.

    Raises InvalidInput for a file that is no run, or too large.
    """
    content = _unpacked(stream, source)
    run = read_run_top(BytesIO(content), source=source, depth=DEPTH).run
    scorer = Scorer(released_qrels(db, release), parse_measures(measures_for(release)))
    scores = scorer.score(run)
    return StrangersScore(
        tag=scores.tag,
        topics=scores.topics_in_qrels,
        topics_scored=scores.topics_scored,
        lines=tuple(ScoreLine(name, mean_score(scores.per_topic[name].values())) for name in scores.values),
    )


def _unpacked(stream: BinaryIO, source: str) -> bytes:
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise _too_large(source, "the file", MOST_BYTES)
    unpacked = bytearray()
    # A gzip file may be several, one after the other.
    while content.startswith(_GZIP):
        unpacking = zlib.decompressobj(wbits=31)
        try:
            unpacked += unpacking.decompress(content, MOST_UNPACKED + 1 - len(unpacked))
        except zlib.error:
            raise _damaged(source) from None
        if len(unpacked) > MOST_UNPACKED:
            raise _too_large(source, "the unpacked file", MOST_UNPACKED)
        if not unpacking.eof:
            raise _damaged(source)
        content = unpacking.unused_data
    return bytes(unpacked) or content


def _damaged(source: str) -> InvalidInput:
    return rejected(
        source, None, "gzip", "the gzip file is incomplete or damaged", "compress it and send it again"
    )


def _too_large(source: str, what: str, most: int) -> InvalidInput:
    message = f"{what} has more than {most // 2**20} MiB"
    remedy = "compress it with gzip, keep 1,000 documents per topic, or score it with the qrels in the zip"
    return rejected(source, None, "too-large", message, remedy)
