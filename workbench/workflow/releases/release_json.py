"""Releases as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import cast

from workbench.errors import Finding, finding_to_json
from workbench.json_forms.collecting import FindingJson
from workbench.json_forms.judging import MadeReleaseJson, ReleaseJson
from workbench.releases.record_form import moment
from workbench.workflow.releases.making import MadeRelease
from workbench.workflow.releases.releases import Release


def release_json(found: Release) -> ReleaseJson:
    """A release in the list."""
    return {
        "version": found.version,
        "title": found.title,
        "rule": found.rule,
        "lines": found.lines,
        "relevant": found.relevant,
        "relevant_from": found.relevant_from,
        "topics": found.topics,
        "kappa": found.kappa,
        "kappa_low": found.kappa_low,
        "kappa_high": found.kappa_high,
        "kappa_pairs": found.kappa_pairs,
        "included": list(found.included),
        "sha256": found.sha256,
        "size": found.size,
        "made_by": found.made_by,
        "made_at": moment(found.made_at),
        "public_at": None if found.public_at is None else moment(found.public_at),
        "withdrawn_by": found.withdrawn_by,
        "withdrawn_at": None if found.withdrawn_at is None else moment(found.withdrawn_at),
        "withdrawn_reason": found.withdrawn_reason,
        "public": found.public,
        "withdrawn": found.withdrawn,
    }


def made_release_json(made: MadeRelease, still_open: Iterable[Finding]) -> MadeReleaseJson:
    """A release that was made, with its counts and what was still open."""
    warnings = [cast(FindingJson, finding_to_json(one)) for one in still_open]
    return {**release_json(made.release), "counts": asdict(made.counts), "warnings": warnings}
