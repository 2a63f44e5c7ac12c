"""Whether a release can become a campaign: everything in it that contradicts the rest, all at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.errors import Finding, InvalidInput
from workbench.learning.review import Origin
from workbench.pooling.adaptive.live import Happening
from workbench.records import Answer, TieRule, Verdict
from workbench.releases.contents import (
    NO_ANSWER,
    RETURNED,
    ReleaseContents,
    ReleasedAnswer,
    ReleasedDecision,
    ReleasedEvent,
    ReleasedPool,
)
from workbench.releases.files import ANSWERS, DECISIONS, DOCUMENTS, MANIFEST, POOLS, PREFERENCES
from workbench.storage.events import CURRENT_PURPOSES
from workbench.workflow.checks import id_finding, text_hash
from workbench.workflow.judging.preferences import Choice, PreferenceKind
from workbench.workflow.releases.pseudonyms import MACHINE, PERSON
from workbench.workflow.runs.run_metadata import RunKind

MOST_FINDINGS = 1000
ASK = "ask whoever made the release"
_ANSWERS = frozenset(map(str, Answer)) | NO_ANSWER
_HAPPENINGS = frozenset(map(str, Happening))
_ORIGINS = frozenset(map(str, Origin)) | {""}
_DECISIONS = frozenset({"grade", RETURNED, "unclear", "withdrawn"})


def check_importable(contents: ReleaseContents) -> None:
    """Raise InvalidInput with everything in a release that no campaign can hold."""
    findings: list[Finding] = []
    for finding in _findings(contents):
        findings.append(finding)
        if len(findings) == MOST_FINDINGS:
            break
    if findings:
        raise InvalidInput(findings)


def _findings(contents: ReleaseContents) -> Iterator[Finding]:
    topics = {one.id for one in contents.topics}
    people = {one.pseudonym for one in contents.assessors}
    grades = {one.value for one in contents.scale.grades}
    for assessor in contents.assessors:
        kind = MACHINE if assessor.machine else PERSON
        if not re.fullmatch(rf"{kind}-[1-9][0-9]{{0,8}}", assessor.pseudonym):
            yield _finding(MANIFEST, None, f"{assessor.pseudonym} is no pseudonym such as {kind}-1")
    for number, one in enumerate(contents.answers, 1):
        if wrong := _wrong_answer(one, topics, people, grades):
            yield _finding(ANSWERS, number, wrong)
        if bad := id_finding(one.docno, what="docno", source=ANSWERS):
            yield bad
    for number, decision in enumerate(contents.decisions, 1):
        if wrong := _wrong_decision(decision, topics, people, grades):
            yield _finding(DECISIONS, number, wrong)
    for number, preference in enumerate(contents.preferences, 1):
        kinds = preference.kind in set(PreferenceKind) and preference.choice in set(Choice)
        if not kinds or preference.topic not in topics or preference.assessor not in people:
            yield _finding(PREFERENCES, number, "the preference is of no known kind, topic or assessor")
    for number, document in enumerate(contents.documents, 1):
        if document.text is not None and document.sha256 != text_hash(
            document.title or "", document.text, document.shown
        ):
            yield _finding(DOCUMENTS, number, f"the text of {document.docno} does not have the stated hash")
    for number, run in enumerate(contents.runs, 1):
        if run.verdict not in set(Verdict) or (run.kind is not None and run.kind not in set(RunKind)):
            yield _finding(MANIFEST, None, f"run {number} has an unknown verdict or kind")
    for pool in contents.pools:
        if not _is_recipe(pool):
            yield _finding(POOLS, None, f"pool {pool.name} has a recipe of another form")
        if any(one.topic not in topics for one in pool.entries):
            yield _finding(POOLS, None, f"pool {pool.name} has a topic that is not in the release")
        if any(_is_wrong_event(one, topics, people) for one in pool.events):
            yield _finding(POOLS, None, f"pool {pool.name} has an event of no known kind, topic or assessor")


def _wrong_answer(one: ReleasedAnswer, topics: set[str], people: set[str], grades: set[int]) -> str:
    if one.topic not in topics:
        return f"topic {one.topic} is not in the release"
    if one.assessor not in people:
        return f"{one.assessor} is not an assessor of the release"
    if one.answer not in _ANSWERS or one.purpose not in CURRENT_PURPOSES:
        return f"unknown answer {one.answer} or purpose {one.purpose}"
    if (one.grade is None) == (one.answer == Answer.GRADE):
        return "an answer that is a grade has one, and the others have none"
    if one.grade is not None and one.grade not in grades:
        return f"{one.grade} is not on the scale"
    return ""


def _wrong_decision(one: ReleasedDecision, topics: set[str], people: set[str], grades: set[int]) -> str:
    if one.topic not in topics or any(each.assessor not in people for each in one.seen):
        return "the decision is of no known topic, or of unknown assessors"
    if one.decision not in _DECISIONS or (one.grade is None) == (one.decision == "grade"):
        return f"unknown decision {one.decision}, or a grade without one"
    if one.grade is not None and one.grade not in grades:
        return f"{one.grade} is not on the scale"
    return ""


def _is_wrong_event(one: ReleasedEvent, topics: set[str], people: set[str]) -> bool:
    known = one.happening in _HAPPENINGS and one.origin in _ORIGINS
    return not known or one.topic not in topics or one.assessor not in people | {""}


def _is_recipe(pool: ReleasedPool) -> bool:
    """Whether pages and commands can show a recipe."""
    recipe = pool.recipe
    runs, sizes = recipe.get("runs"), recipe.get("largest_possible")
    return (
        isinstance(recipe.get("strategy"), str)
        and _texts(recipe.get("parameters"))
        and recipe.get("ties") in set(TieRule)
        and isinstance(recipe.get("supplementary"), bool)
        and isinstance(runs, list)
        and all(_texts(one) and {"tag", "sha256"} <= one.keys() for one in runs)
        and isinstance(sizes, dict)
        and all(type(one) is int for one in sizes.values())
    )


def _texts(given: Any) -> bool:
    return isinstance(given, dict) and all(isinstance(one, str) for one in given.values())


def _finding(source: str, line: int | None, message: str) -> Finding:
    return Finding(source, line, "contradiction", message, ASK)
