"""Deleting a person's data: nothing names the person any more, and everything judged stays to the byte."""

from __future__ import annotations

import gzip
import io
import math
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select, text, update
from sqlalchemy.orm import Session

from tests.builders import invite
from tests.cast import CHEAP, PASSWORD
from tests.searches import stored_search
from tests.workflow.releases.filled import filled_campaign, filled_release
from workbench.errors import Conflict, InvalidInput
from workbench.storage.engine import Database
from workbench.storage.releases import read_parts
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    Base,
    DocumentRow,
    InvitationRow,
    JobRow,
    JudgmentEventRow,
    MailMessageRow,
    PoolEntryRow,
    ReleaseRow,
    SearchRow,
    TopicRow,
)
from workbench.workflow.campaigns import archive
from workbench.workflow.clock import utc_now
from workbench.workflow.jobs import ask
from workbench.workflow.mail.queue import MessageKind
from workbench.workflow.openid.identities import ProviderIdentity, link_identity
from workbench.workflow.people.accounts import Account, create_account, prepare_account, rename
from workbench.workflow.people.administration import enable_account
from workbench.workflow.people.invitations import accept
from workbench.workflow.people.membership import Role, add_role
from workbench.workflow.people.sessions import Scope, make_access_token
from workbench.workflow.people.signing_in import (
    Browser,
    begin_attempt,
    check_password,
    enter,
    make_reset,
    open_session,
    sign_in,
)
from workbench.workflow.people.trail import Act, check_trail, recorded
from workbench.workflow.people.two_factor import code_at, prepare_app, step_at, turn_on
from workbench.workflow.searching.searches import Searcher
from workbench.workflow.upkeep import erasure
from workbench.workflow.upkeep.erasure import ErasedPerson, erase_person

LOGIN, NAME = "zephyrine@example.org", "Zephyrine Quillfeather"
BROWSER = Browser("203.0.113.77", "Mozilla/5.0 Quirkbrowser/99 (Linux)")
# Whatever names her, in any letter case.
OPENED = ("session", "one_time_token", "access_token", "openid_identity")
TRACES = ("zephyrine", "quillfeather", "quirkbrowser", "203.0.113", "formerly")


def unpacked(content: bytes) -> Iterator[bytes]:
    """Bytes as they are, and what is compressed in them."""
    yield content
    for unpack in (gzip.decompress, zlib.decompress):
        try:
            yield unpack(content)
        except (OSError, EOFError, zlib.error):
            continue
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            yield from (packed.read(name) for name in packed.namelist())


def cells(database: Database) -> Iterator[tuple[str, bytes]]:
    """Every value of every row of every table, with its place."""
    with database.reading() as db:
        for table in Base.metadata.sorted_tables:
            for row in db.execute(select(table)):
                for column, value in row._mapping.items():
                    parts = unpacked(value) if isinstance(value, bytes) else [repr(value).encode()]
                    for part in parts:
                        yield f"{table.name}.{column}", part


def traces(database: Database) -> set[str]:
    return {place for place, part in cells(database) for one in TRACES if one.encode() in part.lower()}


def rows_of_judgments(database: Database) -> list[Any]:
    with database.reading() as db:
        return [tuple(row) for row in db.execute(select(JudgmentEventRow.__table__).order_by("id"))]


def release_bytes(database: Database, version: str) -> bytes:
    with database.reading() as db:
        number = db.scalars(select(ReleaseRow.id).where(ReleaseRow.version == version)).one()
        return b"".join(read_parts(db, number))


@contextmanager
def committed(database: Database) -> Iterator[list[object]]:
    """The connections of transactions that were committed meanwhile."""
    found: list[object] = []
    note = found.append
    event.listen(database.engine, "commit", note)
    try:
        yield found
    finally:
        event.remove(database.engine, "commit", note)


def leave_mail(database: Database, person: Account) -> None:
    """An address of hers, and messages: to it, asked for by it, and with her invitation to another."""
    now = utc_now(None)
    with database.writing() as db:
        invited = db.scalars(select(InvitationRow.id).where(InvitationRow.note == LOGIN)).one()
        db.get_one(AccountRow, person.id).address = LOGIN
        for columns in (
            {"account_id": person.id, "address": LOGIN},
            {"invitation_id": invited, "address": "zephyrine@elsewhere.example"},
            {"asked": LOGIN},
        ):
            db.add(MailMessageRow(kind=MessageKind.PASSWORD, created_at=now, due_at=now, **columns))


def leave_doors_and_searches(database: Database, campaign_id: int, person: Account) -> None:
    """An identity at a provider, an app with recovery codes, a sign-in halfway, and a search."""
    with database.writing() as db:
        identity = ProviderIdentity("https://login.example.org", "248289", name=NAME, address=LOGIN)
        link_identity(db, identity, person.id)
        prepare_app(db, person.id)
        secret = db.get_one(AccountRow, person.id).app_secret
        assert secret is not None
        assert turn_on(db, person.id, code_at(secret, step_at(utc_now(None))))
        enter(db, person, BROWSER)
        topic = db.scalars(select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id)).first()
        docnos = db.scalars(select(DocumentRow.docno).where(DocumentRow.campaign_id == campaign_id)).all()
        assert topic is not None
        assert docnos
        stored_search(db, Searcher(campaign_id, topic, person.id), docnos[:3])


@pytest.fixture
def people(database: Database) -> tuple[int, Account, Account]:
    """A campaign with judgments of a person who has left traces wherever a person can."""
    with database.writing() as db:
        new = prepare_account(login="olga", name="Olga", password=PASSWORD, passwords=CHEAP)
        olga = create_account(db, new, administrator=True)
        campaign_id = filled_campaign(db)
        add_role(db, campaign_id, olga.id, Role.ORGANISER)
        invited = invite(db, campaign_id, role=Role.VIEWER, note=LOGIN, invited_by=olga.id)
        invite(db, campaign_id, role=Role.VIEWER, note=f"ask {NAME} again", invited_by=olga.id)
    with database.writing() as db, recorded(db, Act("entrance.register")):
        new = prepare_account(login=LOGIN, name="Formerly", password=PASSWORD, passwords=CHEAP)
        person = create_account(db, new)
        accept(db, invited.token, person.id)
    with database.writing() as db, recorded(db, Act("account.rename", person.id)):
        rename(db, person.id, NAME)
        db.execute(
            update(AccountRow).where(AccountRow.id == person.id).values(desk={"keys": {"unsure": "é"}})
        )
        chosen = update(AssessorRow).where(AssessorRow.name == "Cara")
        db.execute(chosen.values(name=NAME, account_id=person.id))
        open_session(db, person, BROWSER)
        make_reset(db, person.id)
    with database.writing() as db, recorded(db, Act("access_tokens.make", person.id)):
        make_access_token(db, person.id, name=f"laptop of {NAME}", scopes=tuple(Scope))
    leave_mail(database, person)
    leave_doors_and_searches(database, campaign_id, person)
    with database.reading() as db:
        begun = begin_attempt(db, login=LOGIN, browser=BROWSER)
    with database.writing() as db:
        sign_in(db, check_password(begun, "wrong guess", CHEAP))
    return campaign_id, olga, person


def erase(database: Database, person: Account, by: Account) -> ErasedPerson:
    @contextmanager
    def writing() -> Iterator[Session]:
        with database.writing() as db, recorded(db, Act("accounts.erase", by.id)):
            yield db

    return erase_person(database, person.id, typed_login=f" {LOGIN.upper()} ", writing=writing)


@pytest.mark.engines
def test_nothing_names_the_person_and_the_chain_of_the_trail_holds(
    database: Database, people: tuple[int, Account, Account]
) -> None:
    _, olga, person = people
    before = traces(database)
    assert {"account.login", "account.name", "assessor.name", "invitation.note"} <= before
    assert {"account.address", "mail_message.address", "mail_message.asked"} <= before
    assert {"session.browser", "session.network", "sign_in_attempt.login", "access_token.name"} <= before
    assert "openid_identity.known_as" in before
    erased = erase(database, person, olga)
    # A former name of hers is in none of these, since the trail withholds names.
    assert (traces(database), erased.mentions, erased.overwritten) == (set(), (), True)
    with database.reading() as db:
        assert list(check_trail(db)) == []
        # Of what opened the account nothing is left; what she searched is part of the collection's record.
        assert [name for name in OPENED if db.execute(text(f"select 1 from {name}")).first()] == []
        account = db.get_one(AccountRow, person.id)
        assert (account.app_secret, account.app_confirmed_at, account.recovery_hashes) == (None, None, "")
        assert db.scalars(select(SearchRow.account_id)).all() == [person.id]
    if database.embedded:
        path = Path(database.engine.url.database or "")
        for part in (path, path.with_name(f"{path.name}-wal")):
            content = part.read_bytes().lower() if part.exists() else b""
            # The former name was changed earlier: it is overwritten once its page is used again.
            assert [one for one in TRACES[:4] if one.encode() in content] == []


def test_judgments_and_releases_stay_to_the_byte(
    database: Database, people: tuple[int, Account, Account]
) -> None:
    campaign_id, olga, person = people
    filled_release(database, campaign_id, version="1.0")
    judgments, first = rows_of_judgments(database), release_bytes(database, "1.0")
    erase(database, person, olga)
    assert rows_of_judgments(database) == judgments
    assert release_bytes(database, "1.0") == first
    filled_release(database, campaign_id, version="2.0")
    again = release_bytes(database, "2.0")
    with zipfile.ZipFile(io.BytesIO(first)) as one, zipfile.ZipFile(io.BytesIO(again)) as other:
        files = {name.partition("/")[2]: one.read(name) for name in one.namelist()}
        others = {name.partition("/")[2]: other.read(name) for name in other.namelist()}
    assert files.keys() == others.keys()
    # The version is in the texts about the release and in the checksums, and in nothing else.
    differing = {name for name, content in files.items() if content != others[name]}
    assert all(b"1.0" in files[name] or "sum" in name.lower() for name in differing), differing
    assert not {name for name in differing if name.startswith(("judgments", "qrels", "pools", "agreement"))}


def test_free_text_stays_and_its_place_is_told(
    database: Database, people: tuple[int, Account, Account]
) -> None:
    _, olga, person = people
    with database.writing() as db:
        db.execute(update(JudgmentEventRow).where(JudgmentEventRow.id == 1).values(comment=f"as {NAME} says"))
        db.execute(update(SearchRow).values(typed=f"what {LOGIN} wrote"))
        db.scalars(select(PoolEntryRow).limit(1)).one().reason = f"{NAME} knew it"
    before = rows_of_judgments(database)
    assert erase(database, person, olga).mentions == (
        ("judgment_event.comment", 1),
        ("search.typed", 1),
        ("pool_entry.reason", 1),
    )
    assert rows_of_judgments(database) == before


def test_results_are_deleted_in_portions_and_none_stays(
    database: Database, people: tuple[int, Account, Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign_id, olga, person = people
    with database.writing() as db:
        for number in range(5):
            job = ask(db, campaign_id, "trust", {"number": number})
            db.get_one(JobRow, job.id).result = NAME.encode()
    monkeypatch.setattr(archive, "FIRST_PORTION", 2)
    monkeypatch.setattr(archive, "MOST_ROWS", 2)
    # A portion that takes longer than this is followed by a smaller one: on a busy machine, any.
    monkeypatch.setattr(archive, "SECONDS", math.inf)
    with pytest.raises(InvalidInput):
        erase_person(database, person.id, typed_login="zephyrina")
    with database.reading() as db:
        assert len(db.scalars(select(JobRow.id)).all()) == 5
    with committed(database) as commits:
        erase(database, person, olga)
    # Of two rows, two and one, before the transaction that deletes the rest.
    assert len(commits) == 3 + 1
    with database.reading() as db:
        assert db.scalars(select(JobRow.id)).all() == []


def test_whoever_reads_an_older_state_keeps_the_log_and_that_is_told(
    database: Database, people: tuple[int, Account, Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, olga, person = people
    monkeypatch.setattr(erasure, "LOG_TRIES", 1)
    with closing(Database(database.url)) as other, other.reading() as db:
        db.execute(select(AccountRow.id)).all()
        erased = erase(database, person, olga)
    # PostgreSQL has no such log.
    assert erased.overwritten is not database.embedded
    login = f"erased-{person.id}"
    assert f"`workbench account erase {login}`" in erased.log_in_use
    again = erase_person(database, person.id, typed_login=login)
    assert (again.login, again.overwritten, again.mentions) == (login, True, ())


def test_the_login_name_confirms_and_somebody_must_stay(
    database: Database, people: tuple[int, Account, Account]
) -> None:
    _, olga, person = people
    for login, number, kind in (("olga", person.id, InvalidInput), ("olga", olga.id, Conflict)):
        with pytest.raises(kind):
            erase_person(database, number, typed_login=login)
    with database.writing() as db:
        other = prepare_account(login="otto", name="Otto", password=PASSWORD, passwords=CHEAP)
        create_account(db, other, administrator=True)
    # Another administrator is there now, but no other organiser.
    with pytest.raises(Conflict):
        erase_person(database, olga.id, typed_login="olga")
    assert "olga" in {row.login for row in _accounts(database)}
    erase(database, person, olga)
    with pytest.raises(Conflict), database.writing() as db:
        enable_account(db, person.id)


def _accounts(database: Database) -> list[AccountRow]:
    with database.reading() as db:
        return list(db.scalars(select(AccountRow)))
