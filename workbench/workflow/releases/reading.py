"""What stands in a stored release: its files, one of them, what it says of itself; two releases compared."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from workbench.errors import NotFound, rejected
from workbench.formats.qrels import read_qrels
from workbench.records import Qrel, Verdict
from workbench.releases.comparison import MEASURE, ReleaseComparison, compare_releases
from workbench.releases.files import CHECKSUMS, MANIFEST, QRELS
from workbench.releases.zipped import ZippedFiles, ZippedRelease
from workbench.storage.releases import StoredFile, read_parts
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.releases.releases import Release, release_by_version
from workbench.workflow.runs.packed_store import run_for_use
from workbench.workflow.runs.run_records import runs_of


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file of a release: its path, size in bytes and SHA-256, which is empty for the two that list them."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
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


def public_release(db: Session, slug: str, version: str) -> tuple[int, Release]:
    """The campaign's id and a release that outsiders may see; raises the same NotFound for every other."""
    nothing = NotFound("there is no such release", remedy="ask the person who gave you the address")
    try:
        campaign = campaign_by_slug(db, slug, even_archived=True)
        release = release_by_version(db, campaign.id, version)
    except NotFound:
        raise nothing from None
    if not release.public:
        raise nothing
    return campaign.id, release


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
