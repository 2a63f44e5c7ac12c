"""Releases as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import cast

from workbench.errors import Finding, finding_to_json
from workbench.json_forms.collecting import FindingJson
from workbench.json_forms.filling import filled
from workbench.json_forms.judging import MadeReleaseJson, ReleaseJson
from workbench.releases.record_form import moment
from workbench.workflow.releases.making import MadeRelease
from workbench.workflow.releases.releases import Release


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
