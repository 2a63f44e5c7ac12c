"""The demo campaign in a database: made through the same use-cases as any other, and partly judged."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate

from workbench.demo.collection import (
    CAMPAIGN_NAME,
    CAMPAIGN_SCALE,
    COSTS,
    GROUPS,
    GUIDELINES,
    TIDEWATER,
    demo_documents,
    demo_runs,
    demo_topics,
    demo_truth,
    description_of,
    group_of,
    terms,
)
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.formats.runs import write_run
from workbench.frozen import frozen_dataclass
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer, Judgment, id_bytes, sorted_ids
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.migrate import accounts_in, campaigns_in, table_names
from workbench.workflow.campaigns.campaigns import Campaign, campaign_by_slug, create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.judging.assignments import Distribution, assignments_of, distribute, in_turn
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.judging.record import record
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.accounts import Account, NewAccount, create_account
from workbench.workflow.people.groups import add_group, join
from workbench.workflow.people.membership import Role, add_role, assessors_of
from workbench.workflow.pools.listing import pool_entries
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs.run_metadata import RunCost, RunKind, RunMetadata
from workbench.workflow.runs.store import add_runs

Pair = tuple[str, str]


@frozen_dataclass
class DemoAssessor:
    """An assessor of the demo; `pace` is the share done of a topic that is under way, 0 to 1."""

    name: str
    machine: bool = False
    pace: float = 1.0


MARLOW = DemoAssessor("A. Marlow")
QUIST = DemoAssessor("R. Quist", pace=0.8)
OVERLAP_JUDGE = DemoAssessor("overlap-judge", machine=True)
DEMO_ASSESSORS = (MARLOW, QUIST, OVERLAP_JUDGE)

# The probabilities of grades 0, 1, 2, 3 by the true grade; None is a pair that is plainly off the topic.
# A. Marlow is lenient, R. Quist follows the narrative strictly.
_HABITS: Mapping[str, Mapping[int | None, tuple[float, ...]]] = {
    MARLOW.name: {
        None: (0.98, 0.02, 0.0, 0.0),
        0: (0.64, 0.26, 0.1, 0.0),
        1: (0.06, 0.66, 0.28, 0.0),
        2: (0.0, 0.06, 0.74, 0.2),
        3: (0.0, 0.0, 0.12, 0.88),
    },
    QUIST.name: {
        None: (1.0, 0.0, 0.0, 0.0),
        0: (0.88, 0.12, 0.0, 0.0),
        1: (0.24, 0.68, 0.08, 0.0),
        2: (0.02, 0.24, 0.68, 0.06),
        3: (0.0, 0.05, 0.2, 0.75),
    },
}
# The share of doubtful pairs that leave a person unsure; no pair plainly off the topic does.
_UNSURE = 1 / 12
# The share of a topic's words that a document must have to be given grade 1, 2, 3.
_THRESHOLDS = (0.3, 0.45, 0.6)
# A campaign is judged topic after topic, with this many of them under way at a time.
_UNDER_WAY = 4


def demo_judgments(pairs: Iterable[Pair], *, seed: int = 1, share: float = 0.4) -> tuple[Judgment, ...]:
    """The judgments of the three assessors on these (topic, docno) pairs, when about `share` is done.

    Topics are judged in the order of their ids. At the default share both people have completed the first of
    eight, begun four, and not begun three; at 1 everything is judged. R. Quist reads no Arabic and answers
    `cannot_judge`; the machine always grades, and only in topics that people have begun. The judgments are
    ordered by assessor, then as `pairs` are. Raises NotFound for a topic or docno that
    the demo does not have, WorkbenchError for a share outside 0 to 1.
    """
    if not 0 <= share <= 1:
        raise WorkbenchError(f"a share of {share} is not between 0 and 1")
    given = tuple(dict.fromkeys(pairs))
    _require_known(given)
    return tuple(
        _judgment(assessor, pair, seed)
        for assessor in DEMO_ASSESSORS
        for pair in _done(given, assessor, share, seed)
    )


def _require_known(pairs: Sequence[Pair]) -> None:
    docnos = {document.docno for document in demo_documents()}
    for topic, docno in pairs:
        if topic not in _topic_terms() or docno not in docnos:
            raise NotFound(f"the demo has no pair {topic} {docno}", remedy="build the pool from demo_runs()")


def _done(pairs: Sequence[Pair], assessor: DemoAssessor, share: float, seed: int) -> list[Pair]:
    topics = sorted_ids({topic for topic, _ in pairs})
    begun = share * (len(topics) + _UNDER_WAY - 1)
    done: set[Pair] = set()
    for place, topic in enumerate(topics):
        coverage = min(1.0, max(0.0, (begun - place) / _UNDER_WAY))
        if assessor.machine:
            coverage = float(coverage > 0)
        elif coverage < 1:
            coverage *= assessor.pace
        own = sorted(
            (pair for pair in pairs if pair[0] == topic), key=lambda pair: _draw(seed, "part", *pair)
        )
        done.update(own[: round(coverage * len(own))])
    return [pair for pair in pairs if pair in done]


def _judgment(assessor: DemoAssessor, pair: Pair, seed: int) -> Judgment:
    topic, docno = pair
    if assessor.machine:
        return Judgment(assessor.name, topic, docno, _overlap_grade(topic, docno))
    truth = demo_truth().get(pair)
    if assessor is QUIST and docno in _arabic():
        return Judgment(assessor.name, topic, docno, None, Answer.CANNOT_JUDGE)
    if truth is not None and _draw(seed, "unsure", assessor.name, *pair) < _UNSURE:
        return Judgment(assessor.name, topic, docno, None, Answer.UNSURE)
    thresholds = accumulate(_HABITS[assessor.name][truth][:-1])
    draw = _draw(seed, "grade", assessor.name, *pair)
    return Judgment(assessor.name, topic, docno, sum(draw >= threshold for threshold in thresholds))


def _overlap_grade(topic: str, docno: str) -> int:
    terms = _topic_terms()[topic]
    overlap = len(terms & _document_terms()[docno]) / len(terms)
    return sum(overlap >= threshold for threshold in _THRESHOLDS)


@cache
def _topic_terms() -> Mapping[str, frozenset[str]]:
    return {topic.id: frozenset(terms(f"{topic.title} {topic.description}")) for topic in demo_topics()}


@cache
def _document_terms() -> Mapping[str, frozenset[str]]:
    return {doc.docno: frozenset(terms(f"{doc.title} {doc.text}")) for doc in demo_documents()}


@cache
def _arabic() -> frozenset[str]:
    def letters(text: str) -> int:
        return sum("\u0600" <= character <= "\u06ff" for character in text)

    return frozenset(doc.docno for doc in demo_documents() if letters(doc.text) > len(doc.text) / 2)


def _draw(*key: object) -> float:
    """A number in [0, 1) that depends on the key alone."""
    digest = hashlib.sha256(id_bytes("\t".join(map(str, key)))).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


SLUG = "harbour"
SEED = 1
DEPTH = 15
POOL = f"depth {DEPTH}"


@frozen_dataclass
class DemoPerson:
    """An account of the demo with its role in the campaign; `group` is the group of a participant."""

    login: str
    name: str
    role: Role
    group: str = ""


PEOPLE = (
    DemoPerson("organiser", "L. Ibarra", Role.ORGANISER),
    DemoPerson("marlow", MARLOW.name, Role.ASSESSOR),
    DemoPerson("quist", QUIST.name, Role.ASSESSOR),
    DemoPerson("sorrel", "N. Sorrel", Role.PARTICIPANT, TIDEWATER),
)


def has_demo(db: Session) -> bool:
    """Whether this database has the demo campaign already."""
    try:
        return campaign_by_slug(db, SLUG).illustrative
    except NotFound:
        return False


def make_demo(db: Session, password_hashes: Mapping[str, str]) -> Campaign:
    """Make the accounts and the campaign, with about a third of its pool judged.

    `password_hashes` are by login. Raises Conflict where a login or the campaign's name is taken.
    """
    accounts = {
        person.login: create_account(
            db,
            NewAccount(person.login, person.name, password_hashes[person.login]),
            administrator=person.role is Role.ORGANISER,
        )
        for person in PEOPLE
    }
    campaign = create_campaign(
        db, name=CAMPAIGN_NAME, slug=SLUG, scale=CAMPAIGN_SCALE, guidelines=GUIDELINES, illustrative=True
    )
    groups = {name: add_group(db, campaign.id, name) for name in GROUPS}
    for person in PEOPLE:
        account_id = accounts[person.login].id
        if person.group:
            join(db, campaign.id, groups[person.group], account_id)
        else:
            add_role(db, campaign.id, account_id, person.role)
    load_topics(db, campaign.id, demo_topics(), source="demo")
    load_documents(db, campaign.id, demo_documents(), source="demo")
    _load_runs(db, campaign.id, groups)
    pool = make_pool(db, campaign.id, PoolRecipe(parameters={"depth": DEPTH}), name=POOL).pool
    people = [one.id for one in assessors_of(db, campaign.id) if one.assignable]
    given = in_turn(db, pool.id, people, len(people))
    distribute(db, Distribution(pool.id, given, OrderRule.SHUFFLED, SEED))
    _judge(db, campaign, accounts)
    return campaign


def _load_runs(db: Session, campaign_id: int, groups: Mapping[str, int]) -> None:
    priorities: Counter[str] = Counter()
    for run in demo_runs():
        group = group_of(run.tag)
        priorities[group] += 1
        file = (f"{run.tag}.txt", io.BytesIO(b"".join(write_run(run))))
        about = RunMetadata(
            groups[group],
            RunKind.AUTOMATIC,
            description_of(run.tag),
            priorities[group],
            RunCost(*COSTS[run.tag]),
        )
        refused = add_runs(db, campaign_id, [file], about).refused
        if refused:
            raise WorkbenchError(f"a run of the demo was refused: {refused[0].errors[0]}")


def _judge(db: Session, campaign: Campaign, accounts: Mapping[str, Account]) -> None:
    entries = pool_entries(db, campaign.id, POOL)
    judgments = demo_judgments(((entry.topic, entry.docno) for entry in entries), seed=SEED)
    machine = [judgment for judgment in judgments if judgment.assessor == OVERLAP_JUDGE.name]
    import_judgments(db, campaign.id, machine, source="demo overlap-judge", machines=[OVERLAP_JUDGE.name])
    account_of = {person.name: accounts[person.login].id for person in PEOPLE}
    tasks = {(line.assessor, line.topic): line.id for line in assignments_of(db, campaign.id)}
    for judgment in judgments:
        if judgment.assessor in account_of:
            _record(db, tasks[judgment.assessor, judgment.topic], account_of[judgment.assessor], judgment)


def _record(db: Session, assignment_id: int, account_id: int, judgment: Judgment) -> None:
    draw = hashlib.sha256(f"{judgment.assessor}\0{judgment.topic}\0{judgment.docno}".encode()).hexdigest()
    record(
        db,
        assignment_id,
        account_id,
        Submission(
            judgment.docno,
            f"demo-{draw[:40]}",
            answer=judgment.answer,
            grade=judgment.grade,
            reason="written in a language that I do not read" if judgment.answer == "cannot_judge" else "",
            # Between 6 and 40 seconds, the same at every making.
            active_ms=6_000 + int(draw[:8], 16) % 34_000,
        ),
    )


EMPTY = "name an empty database, or one that `workbench demo` has filled"
VERSION_TABLE = "alembic_version"


def require_own(database: Database) -> None:
    """Raise Conflict where a database holds anything but the demo; looks before anything is migrated."""
    tables = table_names(database)
    if tables and VERSION_TABLE not in tables:
        raise Conflict("this database holds the tables of another program", remedy=EMPTY)
    campaigns = campaigns_in(database)
    others = sorted(slug for slug, illustrative in campaigns.items() if slug != SLUG or not illustrative)
    if others:
        named = ", ".join(others[:5]) + (", …" if len(others) > 5 else "")
        raise Conflict(f"this database holds other campaigns: {named}", remedy=EMPTY)
    if not campaigns and accounts_in(database):
        raise Conflict("this database holds the accounts of another installation", remedy=EMPTY)
