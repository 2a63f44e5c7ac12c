"""`manifest.json`: what a release is, how it was made, and the SHA-256 of every file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from workbench.releases.contents import ReleaseContents, ReleasedRun
from workbench.releases.counts import release_counts
from workbench.releases.record_form import as_object

FORM = "workbench-release/1"
"""The form of the files; a release of another one is refused, not guessed at."""


def manifest_of(contents: ReleaseContents, hashes: Mapping[str, tuple[str, int]]) -> dict[str, Any]:
    """The manifest of a release as JSON; `hashes` has the SHA-256 and size of every other file by path."""
    answers = Counter(one.assessor for one in contents.current())
    return {
        "form": FORM,
        "about": as_object(contents.about),
        "citation": contents.about.citation,
        "included": sorted(contents.included),
        "scale": as_object(contents.scale),
        "guidelines_sha256": contents.guidelines_sha256,
        "rule": as_object(contents.rule),
        "questions": [as_object(one) for one in contents.questions],
        "counts": asdict(release_counts(contents)),
        "agreement": {
            "between": "people, independent judgments, relevant or not",
            "undefined": contents.agreement_undefined,
            "estimates": [as_object(one) for one in contents.agreement],
        },
        "assessors": [as_object(one) | {"answers": answers[one.pseudonym]} for one in contents.assessors],
        "pools": [
            {
                "name": pool.name,
                "strategy": pool.recipe.get("strategy", ""),
                "parameters": dict(sorted(pool.recipe.get("parameters", {}).items())),
                "seed": pool.seed,
                "pairs": len(pool.entries),
                "runs": [run["tag"] for run in pool.recipe.get("runs", ())],
            }
            for pool in contents.pools
        ],
        "runs": [_run(one) for one in contents.runs],
        "files": {path: {"sha256": sha256, "bytes": size} for path, (sha256, size) in hashes.items()},
    }


def _run(one: ReleasedRun) -> dict[str, Any]:
    return {name: value for name, value in as_object(one).items() if name != "content"}
