"""A campaign made from a release: what the release carries, so that a release of it has the same bytes.

Assessors come under their pseudonyms and have no account, so that nobody can sign in as one. Pools come by
their pairs and are closed; runs come where the release includes them. What no row can hold without them
(hashes of documents that are not here, runs without their files, what a sample left) stands in the row of the
origin.

It is written in portions, and hidden until all is there (`arrivals`), so that nobody who saves waits.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import func, insert, select
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput
from workbench.learning.review import Origin
from workbench.pooling.adaptive.live import Happening
from workbench.records import Answer, Document, TieRule, Verdict
from workbench.releases.contents import (
    NO_ANSWER,
    RETURNED,
    ReleaseContents,
    ReleasedAnswer,
    ReleasedDecision,
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
    MemberRow,
    PoolEventRow,
    PoolRow,
    PreferenceEventRow,
    PreferenceTaskRow,
    ReleaseOriginRow,
    RunRow,
)
from workbench.workflow.campaigns.arrivals import FIRST_PORTION, Arrival, arriving
from workbench.workflow.campaigns.campaigns import Campaign, campaign_by_slug, create_campaign, free_slug
from workbench.workflow.campaigns.collection import batches, compare, load_topics
from workbench.workflow.checks import id_finding, text_hash
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.desk_rules import Question, save_desk_questions
from workbench.workflow.judging.preferences import Choice, PreferenceKind
from workbench.workflow.people.groups import add_group
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.making import write_entries
from workbench.workflow.releases.collecting import released_entries
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
from workbench.workflow.releases.originals import released_documents
from workbench.workflow.releases.pseudonyms import MACHINE, PERSON
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.runs.run_checks import check_files, run_checker
from workbench.workflow.runs.run_metadata import RunKind, RunMetadata
from workbench.workflow.runs.store import store_run

T = TypeVar("T")
NO_FILES: Mapping[str, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
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
    sha256: str,
    slug: str | None = None,
    organiser: int | None = None,
    now: datetime | None = None,
    documents: tuple[Document, ...] | None = None,
    files: Mapping[str, bytes] = NO_FILES,
) -> ImportedRelease:
    """Make a campaign of a release; `sha256` is of its zip, `documents` its `released_documents`.

    `files` are those of the zip by path, of which runs are read whose contents are left out.

    The campaign has the release's short name where that is free, and no `slug` is given. Raises InvalidInput
    for a release that contradicts itself, Conflict for a slug that is taken; then nothing is kept.
    """
    check_importable(contents)
    given = released_documents(contents) if documents is None else documents

    def make(db: Session) -> int:
        def under(name: str) -> Campaign:
            title, scale, guidelines = contents.about.title[:200], contents.scale, contents.guidelines
            return create_campaign(db, name=title, scale=scale, guidelines=guidelines, slug=name)

        made, _ = _named(db, contents, slug, under)
        return made.id

    try:
        with arriving(database, make) as arrival:
            _Import(arrival, contents, utc_now(now), files).write(given)
            with database.writing() as db:
                if organiser is not None:
                    member = MemberRow(
                        campaign_id=arrival.campaign_id, account_id=organiser, role=Role.ORGANISER
                    )
                    db.add(member)
                origin = ReleaseOriginRow(
                    campaign_id=arrival.campaign_id,
                    sha256=sha256,
                    contents=origin_of(contents),
                    imported_at=utc_now(now),
                )
                db.add(origin)
                db.flush()
                _, shown = _named(db, contents, slug, partial(arrival.show, db))
    except (IntegrityError, DataError):
        message = "the release contradicts itself: the database refuses a record of it"
        raise InvalidInput([Finding(SOURCE, None, "record", message, "ask whoever made it")]) from None
    with database.reading() as db:
        return ImportedRelease(
            campaign_by_slug(db, shown),
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


def _named(
    db: Session, contents: ReleaseContents, slug: str | None, act: Callable[[str], T]
) -> tuple[T, str]:
    """What `act` gives with the `slug`, or else with one that is free, and which one it was.

    Raises Conflict where the `slug` is taken.
    """
    while True:
        name = slug or _free(db, contents)
        try:
            return act(name), name
        except Conflict:
            # Nobody asked for a name that somebody else took at this moment.
            if slug is not None:
                raise


def _free(db: Session, contents: ReleaseContents) -> str:
    """The short name of the release if no campaign has it, else one derived from its title."""
    name = contents.about.name
    used = db.scalar(select(func.count()).where(CampaignRow.slug == name))
    return free_slug(db, contents.about.title[:200]) if used else name


class _Import:
    """The records of a release on their way into a hidden campaign, each kind after those it needs."""

    def __init__(
        self, arrival: Arrival, contents: ReleaseContents, now: datetime, files: Mapping[str, bytes]
    ) -> None:
        self._arrival, self._contents, self._now, self._files = arrival, contents, now, files
        self._database, self._campaign_id = arrival.database, arrival.campaign_id

    def write(self, documents: tuple[Document, ...]) -> None:
        """Write all but the row of the origin."""
        contents = self._contents
        with self._arrival.portion() as db:
            load_topics(db, self._campaign_id, contents.topics, source=SOURCE)
            questions = [Question(one.name, one.labels, one.required) for one in contents.questions]
            save_desk_questions(db, self._campaign_id, questions, ())
            people = self._add_assessors(db)
        self._add_documents(documents)
        self._add_runs(contents.runs)
        self._add_answers(people)
        answered = self._answered(people)
        self._add_decisions(people, answered)
        self._add_preferences(people)
        for pool in contents.pools:
            self._add_pool(pool, people, answered)

    def _some(self, records: Iterable[T]) -> Iterator[list[T]]:
        """So many records at a time as are written in one transaction."""
        self._arrival.rows = FIRST_PORTION
        some: list[T] = []
        for one in records:
            some.append(one)
            if len(some) >= self._arrival.rows:
                yield some
                some = []
        if some:
            yield some

    def _add_assessors(self, db: Session) -> dict[str, int]:
        """The ids of the assessors by pseudonym."""
        rows = [
            AssessorRow(
                campaign_id=self._campaign_id,
                name=one.name or one.pseudonym,
                machine=one.machine,
                pseudonym=one.pseudonym,
            )
            for one in self._contents.assessors
        ]
        db.add_all(rows)
        db.flush()
        return {row.pseudonym or "": row.id for row in rows}

    def _add_documents(self, documents: Iterable[Document]) -> None:
        for batch in batches(documents, Counter(), None):
            with self._arrival.portion() as db:
                compared = compare(db, self._campaign_id, batch, set(), SOURCE)
                if compared.findings:
                    raise InvalidInput(compared.findings)
                compared.write(db)

    def _add_runs(self, runs: Iterable[ReleasedRun]) -> None:
        """Add the runs that are included, as they were sent."""
        groups: dict[str, int] = {}
        with self._database.reading() as db:
            checker = run_checker(db, self._campaign_id, opening=self._database.reading)
        included = _included(runs, self._files)
        # Each is read and checked as its turn comes, outside of the transaction that stores it.
        files = ((f"{run.tag}.txt", io.BytesIO(_content(run, self._files))) for run in included)
        for run, upload in zip(included, check_files(checker, files), strict=True):
            with self._arrival.portion() as db:
                if run.group and run.group not in groups:
                    groups[run.group] = add_group(db, self._campaign_id, run.group)
                kind = RunKind(run.kind) if run.kind else None
                metadata = RunMetadata(groups.get(run.group), kind, run.description, run.priority)
                store_run(db, self._campaign_id, upload, metadata)
                row = select(RunRow).where(RunRow.campaign_id == self._campaign_id, RunRow.tag == run.tag)
                db.scalars(row).one().verdict = run.verdict
        pack_runs_one_by_one(self._database, self._campaign_id)

    def _add_answers(self, people: Mapping[str, int]) -> None:
        events = (
            event_of(self._campaign_id, people[one.assessor], at, one)
            for at, one in enumerate(self._contents.answers)
        )
        for some in self._some(events):
            with self._arrival.portion() as db:
                # A statement has one set of columns; what is absent stays so: JSON has a null of its own.
                for _, alike in groupby(some, key=tuple):
                    append_events(db, list(alike))

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
        with self._database.reading() as db:
            return {
                key: number
                for number, *rest in released_entries(db, self._campaign_id)
                if (key := (rest[0], rest[1], rest[2], rest[3])) in named
            }

    def _add_decisions(self, people: Mapping[str, int], answered: Answered) -> None:
        for some in self._some(enumerate(self._contents.decisions)):
            with self._arrival.portion() as db:
                for number, one in some:
                    db.add(
                        AdjudicationEventRow(**decision_of(self._campaign_id, number, one, people, answered))
                    )
                    # One by one, since the order of the rows is that of the decisions.
                    db.flush()

    def _add_preferences(self, people: Mapping[str, int]) -> None:
        """The preferences in tasks that are over."""
        preferences = self._contents.preferences
        keys = list(preference_keys(self._contents))
        pairs: dict[TaskKey, list[list[str]]] = {}
        for key, one in zip(keys, preferences, strict=True):
            pairs.setdefault(key, []).append([one.first, one.second])
        tasks: dict[TaskKey, int] = {}
        for some in self._some(pairs):
            with self._arrival.portion() as db:
                for key in some:
                    kind, assessor, topic, _ = key
                    row = PreferenceTaskRow(
                        campaign_id=self._campaign_id, topic=topic, kind=kind, assessor_id=people[assessor],
                        pairs=pairs[key], seed=0, assigned_at=self._now, revoked_at=self._now,
                    )  # fmt: skip
                    db.add(row)
                    db.flush()
                    tasks[key] = row.id
        events = (
            preference_of(tasks[key], number, one)
            for number, (key, one) in enumerate(zip(keys, preferences, strict=True))
        )
        for values in self._some(events):
            with self._arrival.portion() as db:
                db.execute(insert(PreferenceEventRow), values)

    def _add_pool(self, pool: ReleasedPool, people: Mapping[str, int], answered: Answered) -> None:
        """Add a pool with its pairs and the events of an adaptive one."""
        with self._arrival.portion() as db:
            row = PoolRow(**pool_of(self._campaign_id, pool, self._now))
            db.add(row)
            db.flush()
            pool_id = row.id
        for some in self._some(entries_of(pool)):
            with self._arrival.portion() as db:
                write_entries(db, pool_id, some)
        events = (pool_event_of(pool_id, one, people, answered) for one in pool.events)
        for values in self._some(events):
            with self._arrival.portion() as db:
                db.execute(insert(PoolEventRow), values)


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
