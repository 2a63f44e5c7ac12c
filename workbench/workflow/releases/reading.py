"""What stands in a stored release: its files, what it says of itself; two compared, runs scored against one.

A stranger's run is checked, bounded and never kept.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from typing import Any, BinaryIO

from sqlalchemy.orm import Session

from workbench.errors import InvalidInput, NotFound, rejected
from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run_top
from workbench.frozen import frozen_dataclass
from workbench.records import Qrel, Verdict
from workbench.releases.comparison import MEASURE, ReleaseComparison, compare_releases
from workbench.releases.files import CHECKSUMS, MANIFEST, QRELS
from workbench.releases.zipped import ZippedFiles, ZippedRelease
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import Scorer
from workbench.scoring.significance import MeanScore, mean_score
from workbench.storage.releases import StoredFile, read_parts
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.releases.releases import Release, release_by_version
from workbench.workflow.runs.packed_store import run_for_use
from workbench.workflow.runs.run_records import runs_of


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


def compare_campaign_releases(
    db: Session, campaign_id: int, first: str, second: str, *, measure: str = MEASURE
) -> ReleaseComparison:
    """Compare two releases by version; the runs are those of the campaign that were not set aside.

    Raises NotFound for a version that does not exist, WorkbenchError for a measure that ranks no runs.
    """
    found = [release_by_version(db, campaign_id, version) for version in (first, second)]
    tags = [run.tag for run in runs_of(db, campaign_id) if run.verdict is not Verdict.SET_ASIDE]
    runs = (run_for_use(db, campaign_id, tag) for tag in tags) if tags else None
    with ExitStack() as stack:
        one, other = (stack.enter_context(stored_release(db, release)) for release in found)
        return compare_releases(one, other, runs=runs, measure=measure)


@contextmanager
def stored_release(db: Session, release: Release) -> Iterator[ZippedRelease]:
    """A stored release to be compared, whose bytes are read part by part and its files one by one.

    Raises InvalidInput where the bytes are no longer what they were.
    """
    found = hashlib.sha256()
    for part in read_parts(db, release.id):
        found.update(part)
    if found.hexdigest() != release.sha256:
        message = f"stated SHA-256 {release.sha256}, found {found.hexdigest()}"
        remedy = "restore the latest backup in which `workbench verify` finds nothing"
        raise rejected(f"release {release.version}", None, "whole", message, remedy)
    with StoredFiles(db, release) as files:
        yield ZippedRelease.of(files)


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
