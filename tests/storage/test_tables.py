"""The tables themselves refuse what must not be; on both databases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import func, inspect, select
from sqlalchemy.exc import IntegrityError

from workbench.records import id_bytes, sorted_ids
from workbench.storage.engine import Database
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    AssignmentRow,
    Base,
    CampaignRow,
    DocumentRow,
    InvitationRow,
    JudgmentEventRow,
    MemberRow,
    PoolRow,
    TopicRow,
)

pytestmark = pytest.mark.engines

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

# Ids that a careless layer would change, merge, cut or order otherwise than by their bytes.
AWKWARD_IDS = [
    "a",
    "B",
    "b",
    "10",
    "9",
    "010",
    "é",  # one code point: C3 A9
    "e\u0301",  # the same letter in two: 65 CC 81
    "É",
    "ß",
    "ss",
    "\uff5e",  # before the next in UTF-8 (EF..), after it in UTF-16 (D8..)
    "\U0001d51e",
    "日本",
    "a b",
    "a#1",
    "a/b",
    "a:b",
    "a%2Fb",
    "a'b\"c",
    "a\\b",
    "clueweb09-en0000-00-00000",
    "https://example.org/?q=1&r=2#x",
    "_",
    "-1",
    "NULL",
]


@pytest.fixture
def campaign(database: Database) -> int:
    """A campaign with one account, one assessor and one pool, each with the id 1."""
    with database.writing() as db:
        db.add(CampaignRow(slug="first", name="First", scale={}, created_at=NOW))
        db.add(AccountRow(login="ada", name="Ada", password_hash="-", created_at=NOW))
        db.flush()
        db.add(AssessorRow(campaign_id=1, name="Ada", account_id=1))
        db.add(AssessorRow(campaign_id=1, name="Grace"))
        db.add(
            PoolRow(
                campaign_id=1, name="p", recipe={}, pairs=0, largest_possible=0, created_by=1, created_at=NOW
            )
        )
    return 1


def an_event(**changes: Any) -> JudgmentEventRow:
    common: dict[str, Any] = {
        "campaign_id": 1,
        "assessor_id": 1,
        "topic": "1",
        "docno": "d1",
        "answer": "grade",
        "grade": 1,
        "client_id": "c1",
        "source": "judging page",
        "recorded_at": NOW,
    }
    return JudgmentEventRow(**(common | changes))


def an_invitation(**changes: Any) -> InvitationRow:
    common: dict[str, Any] = {
        "campaign_id": 1,
        "role": "assessor",
        "token_hash": "0" * 64,
        "created_at": NOW,
        "expires_at": NOW,
    }
    return InvitationRow(**(common | changes))


def an_assignment(**changes: Any) -> AssignmentRow:
    common: dict[str, Any] = {
        "pool_id": 1,
        "topic": "1",
        "assessor_id": 1,
        "order_rule": "shuffled",
        "seed": 2**62,
        "assigned_at": NOW,
    }
    return AssignmentRow(**(common | changes))


def a_member(role: str) -> MemberRow:
    return MemberRow(campaign_id=1, account_id=1, role=role)


def copied(row: Base) -> Base:
    """A row of the same values: one object is written to one database."""
    values = {name: getattr(row, name) for name in row.__table__.columns.keys()}  # noqa: SIM118
    return type(row)(**{name: value for name, value in values.items() if value is not None})


def takes(database: Database, *rows: Base) -> None:
    with database.writing() as db:
        db.add_all(rows)


ROLES = ("organiser", "assessor", "adjudicator", "viewer")
REFUSED: dict[str, tuple[Base, ...]] = {
    # A grade belongs to the answer "grade", and to no other.
    **{
        f"{answer} {grade}": (an_event(answer=answer, grade=grade),)
        for answer, grade in (
            ("grade", None), ("grade", -1), ("unsure", 0), ("cannot_judge", 1), ("withdrawn", 1),
            ("skipped", None),
        )
    },
    "an event sent twice": (an_event(docno="d1"), an_event(docno="d2")),
    **{f"a member's role {role!r}": (a_member(role),) for role in ("", "admin", "Organiser")},
    **{f"an offered role {role!r}": (an_invitation(role=role),) for role in ("", "admin", "Organiser")},
    "a role twice": (a_member("viewer"), a_member("viewer")),
    "an unknown order": (an_assignment(order_rule="random"),),
    "a topic given twice": (an_assignment(), an_assignment(seed=1)),
    "a login": (AccountRow(login="ada", name="Other", password_hash="-", created_at=NOW),),
    "an assessor's name": (AssessorRow(campaign_id=1, name="Ada"),),
    "an assessor's account": (AssessorRow(campaign_id=1, name="Ada's second", account_id=1),),
    "a slug": (CampaignRow(slug="first", name="Second", scale={}, created_at=NOW),),
}  # fmt: skip
TAKEN: dict[str, list[Base]] = {
    "every answer": [
        an_event(client_id=answer, answer=answer, grade=grade)
        for answer, grade in (("grade", 0), ("unsure", None), ("cannot_judge", None), ("withdrawn", None))
    ],
    "one client id of two assessors": [an_event(assessor_id=1), an_event(assessor_id=2)],
    "a pair answered again": [an_event(client_id="1", grade=0), an_event(client_id="2", grade=1)],
    "every role": [
        row for role in ROLES for row in (a_member(role), an_invitation(role=role, token_hash=role))
    ],
    "every order": [an_assignment(topic=one, order_rule=one) for one in ("shuffled", "docno", "priority")],
    "assessors without an account": [AssessorRow(campaign_id=1, name=name) for name in "xy"],
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_contradicts_itself_or_comes_twice_is_refused(
    database: Database, campaign: int, what: str
) -> None:
    rows = [copied(row) for row in REFUSED[what]]

    def write() -> None:
        with database.writing() as db:
            db.add_all(rows[:-1])
            db.flush()
            db.expunge_all()
            db.add(rows[-1])

    with pytest.raises(IntegrityError):
        write()


@pytest.mark.parametrize("what", TAKEN)
def test_what_people_do_is_taken(database: Database, campaign: int, what: str) -> None:
    takes(database, *map(copied, TAKEN[what]))


def test_a_seed_of_63_bits_comes_back_whole(database: Database, campaign: int) -> None:
    takes(database, an_assignment(seed=2**63 - 1))
    with database.reading() as db:
        assert db.scalar(select(AssignmentRow.seed)) == 2**63 - 1


def test_ids_are_ordered_as_bytes(database: Database, campaign: int) -> None:
    five = ["B", "a", "10", "9", "é"]
    takes(
        database,
        *(TopicRow(campaign_id=1, topic=topic, position=place, title="") for place, topic in enumerate(five)),
    )
    with database.reading() as db:
        # By bytes: 31 30, 39, 42, 61, C3 A9. A linguistic order would put "B" after "a" and "é" before it.
        assert db.scalars(select(TopicRow.topic).order_by(TopicRow.topic)).all() == ["10", "9", "B", "a", "é"]


def test_awkward_docnos_come_back_to_the_byte_and_in_the_order_of_their_bytes(
    database: Database, campaign: int
) -> None:
    takes(database, *(DocumentRow(campaign_id=1, docno=docno, sha256="") for docno in reversed(AWKWARD_IDS)))
    with database.reading() as db:
        found = db.scalars(select(DocumentRow.docno).order_by(DocumentRow.docno)).all()
    assert [id_bytes(docno) for docno in found] == [id_bytes(docno) for docno in sorted_ids(AWKWARD_IDS)]


def test_awkward_docnos_are_found_and_compared_as_bytes(database: Database, campaign: int) -> None:
    takes(database, *(DocumentRow(campaign_id=1, docno=docno, sha256="") for docno in AWKWARD_IDS))
    with database.reading() as db:
        for docno in AWKWARD_IDS:
            assert db.scalars(select(DocumentRow.docno).where(DocumentRow.docno == docno)).all() == [docno]
            below = select(func.count()).select_from(DocumentRow).where(DocumentRow.docno < docno)
            assert db.scalar(below) == sum(id_bytes(other) < id_bytes(docno) for other in AWKWARD_IDS)


def test_every_column_of_ids_is_compared_as_bytes_whatever_the_databases_locale(
    postgresql_database: Database,
) -> None:
    # The server of the tests may itself order by bytes; another's will not, and the column must say so.
    for table in Base.metadata.sorted_tables:
        for column in inspect(postgresql_database.engine).get_columns(table.name):
            if column["name"] in {"topic", "docno", "tag"}:
                assert getattr(column["type"], "collation", None) == "C", f"{table.name}.{column['name']}"
