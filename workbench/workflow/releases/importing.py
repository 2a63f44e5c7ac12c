"""A campaign made from a release: what the release carries, so that a release of it has the same bytes.

Assessors come under their pseudonyms and have no account, so that nobody can sign in as one. Pools come by
their pairs and are closed; runs come where the release includes them. What no row can hold without them
(hashes of documents that are not here, runs without their files, what a sample left) stands in the row of the
origin.

It comes in one transaction: nobody sees it before all is there, and what a killed process began is nowhere.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, WorkbenchError, rejected
from workbench.formats.documents_image import image_original
from workbench.formats.documents_pdf import check_installed, pdf_content
from workbench.formats.identifiers import id_finding
from workbench.frozen import frozen_dataclass
from workbench.learning.review import Origin
from workbench.pooling.adaptive_pool import Happening
from workbench.records import PDF_TYPE, Answer, Document, Original, TieRule, Verdict
from workbench.releases.contents import (
    NO_ANSWER,
    RETURNED,
    ReleaseContents,
    ReleasedAnswer,
    ReleasedDecision,
    ReleasedDocument,
    ReleasedEvent,
    ReleasedPool,
    ReleasedRun,
)
from workbench.releases.files import ANSWERS, DECISIONS, DOCUMENTS, MANIFEST, POOLS, PREFERENCES, run_path
from workbench.storage.engine import Database
from workbench.storage.events import CURRENT_PURPOSES, append_events
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    CampaignRow,
    PoolEventRow,
    PoolRow,
    PreferenceEventRow,
    PreferenceTaskRow,
    RunRow,
)
from workbench.workflow.campaigns.campaigns import Campaign, create_campaign, restore_instructions
from workbench.workflow.campaigns.collection import batches, compare, load_topics
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.desk_rules import Question, save_desk_questions
from workbench.workflow.judging.preferences import Choice, PreferenceKind
from workbench.workflow.people.groups import add_group
from workbench.workflow.pools.making import write_entries
from workbench.workflow.releases.collecting import MACHINE, PERSON, released_entries
from workbench.workflow.releases.imported_rows import (
    SOURCE,
    Answered,
    TaskKey,
    decision_of,
    entries_of,
    event_of,
    origin_of,
    pool_event_of,
    pool_of,
    preference_keys,
    preference_of,
)
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.runs.run_checks import check_files, run_checker
from workbench.workflow.runs.run_metadata import RunKind, RunMetadata
from workbench.workflow.runs.store import store_run

NO_FILES: Mapping[str, bytes] = MappingProxyType({})


@frozen_dataclass
class ImportedRelease:
    """A campaign that was made from a release, and how much of it came."""

    campaign: Campaign
    version: str
    topics: int
    documents: int
    answers: int
    decisions: int
    pools: int
    runs: int


def import_release(
    database: Database,
    contents: ReleaseContents,
    *,
    slug: str | None = None,
    organiser: int | None = None,
    documents: tuple[Document, ...] | None = None,
    files: Mapping[str, bytes] = NO_FILES,
) -> ImportedRelease:
    """Make a campaign of a release; `documents` are its `released_documents`.

    `files` are those of the zip by path, of which runs are read whose contents are left out.

    The campaign has the release's short name where that is free, and no `slug` is given. Raises InvalidInput
    for a release that contradicts itself, Conflict for a slug that is taken; then nothing is kept.
    """
    check_importable(contents)
    given = released_documents(contents) if documents is None else documents

    now = utc_now()
    try:
        with database.writing() as db:
            campaign = _made(db, contents, slug, organiser)
            _Import(db, campaign.id, contents, now, files).write(given)
            db.get_one(CampaignRow, campaign.id).origin = origin_of(contents)
    except (IntegrityError, DataError):
        message = "the release contradicts itself: the database refuses a record of it"
        raise rejected(SOURCE, None, "record", message, "ask whoever made it") from None
    pack_runs_one_by_one(database, campaign.id)
    return ImportedRelease(
        campaign,
        contents.about.version,
        len(contents.topics),
        len(given),
        len(contents.answers),
        len(contents.decisions),
        len(contents.pools),
        len(_included(contents.runs, files)),
    )


def _included(runs: Iterable[ReleasedRun], files: Mapping[str, bytes]) -> list[ReleasedRun]:
    """The runs that are in a release as they were sent."""
    return [run for run in runs if run.content is not None or run_path(run.sha256) in files]


def _content(run: ReleasedRun, files: Mapping[str, bytes]) -> bytes:
    return files[run_path(run.sha256)] if run.content is None else run.content


def _made(db: Session, contents: ReleaseContents, slug: str | None, organiser: int | None) -> Campaign:
    """The campaign under the `slug`, or else the short name of the release or one of its title that is free.

    Raises Conflict where the `slug` is taken.
    """
    title = contents.about.title[:200]
    make = partial(
        create_campaign,
        db,
        name=title,
        scale=contents.scale,
        guidelines=contents.guidelines,
        organiser=organiser,
    )
    try:
        return make(slug=slug or contents.about.name)
    except Conflict:
        # Nobody asked for a name that another campaign has.
        if slug is not None:
            raise
        return make(slug=None)


class _Import:
    """The records of a release on their way into a campaign, each kind after those it needs."""

    def __init__(
        self,
        db: Session,
        campaign_id: int,
        contents: ReleaseContents,
        now: datetime,
        files: Mapping[str, bytes],
    ) -> None:
        self._db, self._campaign_id = db, campaign_id
        self._contents, self._now, self._files = contents, now, files

    def write(self, documents: tuple[Document, ...]) -> None:
        """Write all but the row of the origin."""
        db, contents = self._db, self._contents
        load_topics(db, self._campaign_id, contents.topics, source=SOURCE)
        questions = [Question(one.name, one.labels, one.required) for one in contents.questions]
        save_desk_questions(db, self._campaign_id, questions, ())
        if contents.instructions:
            restore_instructions(
                db,
                self._campaign_id,
                ((one.version, one.guidelines, one.scale, one.since) for one in contents.instructions),
            )
        people = self._add_assessors()
        for batch in batches(documents, Counter(), None):
            compared = compare(db, self._campaign_id, batch, set(), SOURCE)
            if compared.findings:
                raise InvalidInput(compared.findings)
            compared.write(db)
        self._add_runs(contents.runs)
        events = (
            event_of(self._campaign_id, people[one.assessor], at, one)
            for at, one in enumerate(contents.answers)
        )
        # A statement has one set of columns; what is absent stays so: JSON has a null of its own.
        for _, alike in groupby(events, key=tuple):
            append_events(db, list(alike))
        answered = self._answered(people)
        for number, decision in enumerate(contents.decisions):
            values = decision_of(self._campaign_id, number, decision, people, answered)
            # One by one, since the order of the rows is that of the decisions.
            db.execute(insert(AdjudicationEventRow).values(values))
        self._add_preferences(people)
        for pool in contents.pools:
            row = PoolRow(**pool_of(self._campaign_id, pool, self._now))
            db.add(row)
            db.flush()
            write_entries(db, row.id, list(entries_of(pool)))
            if pool.events:
                happened = [pool_event_of(row.id, one, people, answered) for one in pool.events]
                db.execute(insert(PoolEventRow), happened)

    def _add_assessors(self) -> dict[str, int]:
        """The ids of the assessors by pseudonym."""
        rows = [
            AssessorRow(
                campaign_id=self._campaign_id,
                name=one.name or one.pseudonym,
                machine=one.machine,
                organiser=one.organiser,
                pseudonym=one.pseudonym,
            )
            for one in self._contents.assessors
        ]
        self._db.add_all(rows)
        self._db.flush()
        return {row.pseudonym or "": row.id for row in rows}

    def _add_runs(self, runs: Iterable[ReleasedRun]) -> None:
        """Add the runs that are included, as they were sent."""
        db, groups = self._db, dict[str, int]()
        checker = run_checker(db, self._campaign_id)
        included = _included(runs, self._files)
        # Each is read and checked as its turn comes.
        files = ((f"{run.tag}.txt", io.BytesIO(_content(run, self._files))) for run in included)
        for run, upload in zip(included, check_files(checker, files), strict=True):
            if run.group and run.group not in groups:
                groups[run.group] = add_group(db, self._campaign_id, run.group)
            kind = RunKind(run.kind) if run.kind else None
            metadata = RunMetadata(groups.get(run.group), kind, run.description, run.priority)
            store_run(db, self._campaign_id, upload, metadata)
            row = select(RunRow).where(RunRow.campaign_id == self._campaign_id, RunRow.tag == run.tag)
            db.scalars(row).one().verdict = run.verdict

    def _answered(self, people: Mapping[str, int]) -> Answered:
        """The ids of the answers that decisions and events of pools name."""
        contents = self._contents
        named = {
            (people[each.assessor], one.topic, one.docno, each.entry)
            for one in contents.decisions
            for each in one.seen
        }
        named |= {
            (people[one.assessor], one.topic, one.docno, one.entry)
            for pool in contents.pools
            for one in pool.events
            if one.assessor in people
        }
        if not named:
            return {}
        return {
            key: number
            for number, *rest in released_entries(self._db, self._campaign_id)
            if (key := (rest[0], rest[1], rest[2], rest[3])) in named
        }

    def _add_preferences(self, people: Mapping[str, int]) -> None:
        """The preferences in tasks that are over."""
        preferences = self._contents.preferences
        keys = list(preference_keys(self._contents))
        tasks: dict[TaskKey, PreferenceTaskRow] = {}
        for key, one in zip(keys, preferences, strict=True):
            kind, assessor, topic, _ = key
            task = tasks.setdefault(
                key,
                PreferenceTaskRow(
                    campaign_id=self._campaign_id, topic=topic, kind=kind, assessor_id=people[assessor],
                    pairs=[], seed=0, assigned_at=self._now, revoked_at=self._now,
                ),
            )  # fmt: skip
            task.pairs.append([one.first, one.second])
        self._db.add_all(tasks.values())
        self._db.flush()
        events = [
            preference_of(tasks[key].id, number, one)
            for number, (key, one) in enumerate(zip(keys, preferences, strict=True))
        ]
        if events:
            self._db.execute(insert(PreferenceEventRow), events)


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
            yield _finding(MANIFEST, None, f"{assessor.pseudonym} is not a pseudonym such as {kind}-1")
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
        if document.text is not None and document.sha256 != document.hashed:
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
        return "an answer needs a grade if it is one, and no grade otherwise"
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


def released_documents(contents: ReleaseContents) -> tuple[Document, ...]:
    """The documents of a release with their originals, each PDF read once more for the form that is shown.

    Before the transaction of `import_release`: a PDF can take seconds.
    """
    return tuple(
        Document(one.docno, one.title or "", one.text, _original(one))
        for one in contents.documents
        if one.text is not None
    )


def _original(document: ReleasedDocument) -> Original | None:
    """What is known of the bytes that a document was read from, which may not be here."""
    if not document.original:
        return None
    known = Original(
        document.media_type, document.content, document.original, document.address, document.charset
    )
    if document.content is None or known.is_text:
        return known
    # Of what cannot be read, as of a crawl's broken image, the bytes are kept and nothing is shown.
    with suppress(WorkbenchError):
        if document.media_type == PDF_TYPE:
            check_installed()
            pdf = pdf_content(document.docno, document.content, document.address).original
            known = known if pdf is None else replace(known, shown=pdf.shown)
        else:
            image = image_original(document.content, document.address)
            known = replace(known, width=image.width, height=image.height)
    return known
