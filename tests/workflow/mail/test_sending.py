"""Messages handed to a real mail server: what arrives, what is tried again, and what no attempt leaves."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Update, select, update

from tests.builders import invite
from tests.cast import CHEAP, PASSWORD
from tests.certificates import localhost_certificate
from tests.mail import LOGIN, SECRET, SITE, Mailbox, mail_server
from tests.moments import at
from tests.workflow.upkeep.test_erasure import cells
from workbench.errors import InvalidInput, Unavailable
from workbench.records import FOUR_GRADES
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, CampaignRow, InvitationRow, MailMessageRow
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.mail import sending
from workbench.workflow.mail.messages import Message, isolated, one_line, subject_of
from workbench.workflow.mail.queue import (
    CLAIM_LASTS,
    WAITS,
    DeliveryState,
    add_confirmation,
    add_invitation,
    add_test,
    claim_next,
    messages,
    note_failed,
    note_sent,
    request_link,
    try_again,
)
from workbench.workflow.mail.sending import NotSent, email_of, send_test, send_waiting
from workbench.workflow.people.accounts import Account, create_account, prepare_account
from workbench.workflow.people.invitations import accept_as_new
from workbench.workflow.people.mail_addresses import (
    address_of,
    checked_address,
    set_address,
)
from workbench.workflow.people.membership import Role
from workbench.workflow.people.signing_in import reset_owner

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
ADA = "ada@example.org"


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with mail_server() as running:
        yield running


@pytest.fixture
def ada(sqlite_database: Database) -> Account:
    account = _account(sqlite_database, "ada")
    with sqlite_database.writing() as db:
        set_address(db, account.id, ADA)
    return account


def _account(database: Database, login: str) -> Account:
    with database.writing() as db:
        return create_account(
            db, prepare_account(login=login, name=login.title(), password=PASSWORD, passwords=CHEAP)
        )


def states(database: Database) -> list[tuple[str, int]]:
    with database.reading() as db:
        return [(str(one.state), one.tries) for one in reversed(messages(db))]


def token_in(body: str, place: str) -> str:
    (found,) = re.findall(rf"{re.escape(SITE)}/{place}/(\S+)", body)
    return str(found)


def test_a_forgotten_password_gets_a_link_that_stands_nowhere_else(
    sqlite_database: Database, ada: Account, mailbox: Mailbox
) -> None:
    with sqlite_database.writing() as db:
        assert request_link(db, " ADA ", "192.0.2.1") is None
    assert send_waiting(sqlite_database, mailbox.settings()) == 1
    (received,) = mailbox.received
    assert (received["To"], received["From"]) == (ADA, "Workbench <bench@example.org>")
    assert received["Auto-Submitted"] == "auto-generated"
    token = token_in(received.get_content(), "reset")
    with sqlite_database.reading() as db:
        assert reset_owner(db, token) == ada
    # Neither in the queue nor anywhere else, but for its hash.
    assert [place for place, part in cells(sqlite_database) if token.encode() in part] == []
    assert states(sqlite_database) == [("sent", 1)]


def test_a_message_that_was_handed_over_is_noted_once_the_database_answers(
    sqlite_database: Database, ada: Account, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locked for longer than a transaction waits: a second message would end the first one's link."""
    with sqlite_database.writing() as db:
        request_link(db, "ada", "192.0.2.1")
    opened = sqlite_database.writing
    tries: list[None] = []

    def locked(**options: bool) -> AbstractContextManager[Session]:
        tries.append(None)
        if len(tries) in {2, 3}:
            raise Unavailable("locked")
        return opened(**options)

    monkeypatch.setattr(sqlite_database, "writing", locked)
    monkeypatch.setattr(sending, "NOTED_AGAIN", 0)
    assert send_waiting(sqlite_database, mailbox.settings()) == 1
    assert (len(mailbox.received), states(sqlite_database)) == (1, [("sent", 1)])


def test_an_address_means_its_accounts_and_a_stranger_means_nobody(
    sqlite_database: Database, ada: Account, mailbox: Mailbox
) -> None:
    other = _account(sqlite_database, "adas-second")
    with sqlite_database.writing() as db:
        set_address(db, other.id, ADA)
        for typed in (ADA, "nobody", "nobody@example.org", "a\0b", "ad a"):
            assert request_link(db, typed, "192.0.2.1") is None
    assert send_waiting(sqlite_database, mailbox.settings()) == 2
    assert sorted(re.findall(r"for the account (\S+)", "".join(mailbox.bodies()))) == ["ada", "adas-second"]
    # Of those that meant nobody, nothing is left of what was typed.
    assert states(sqlite_database) == [("sent", 1), ("sent", 1)]


def test_a_mailbox_is_not_filled_by_strangers(
    sqlite_database: Database, ada: Account, mailbox: Mailbox
) -> None:
    for minute in (0, 1, 2, 6):
        with sqlite_database.writing() as db:
            # From elsewhere each time, so that no request has to wait.
            asked = NOW + timedelta(minutes=minute)
            with at(asked):
                assert request_link(db, "ada", f"192.0.2.{minute}") is None
                while (claimed := claim_next(db, SITE)) is True:
                    pass
                if claimed:
                    note_sent(db, claimed.id)
    assert states(sqlite_database) == [("sent", 1), ("sent", 1)]  # of minutes 0 and 6


def test_too_many_requests_wait_whatever_is_typed(sqlite_database: Database, ada: Account) -> None:
    # As of failed sign-ins: five are free, then 30 seconds.
    for typed in ("ada", "nobody"):
        waits = []
        for _ in range(6):
            with sqlite_database.writing() as db, at(NOW):
                refused = request_link(db, typed, "192.0.2.1")
            waits.append(refused.seconds if refused else 0)
        assert waits == [0, 0, 0, 0, 0, 30]


def test_an_invitation_by_mail_proves_the_address_of_who_accepts_it(
    sqlite_database: Database, mailbox: Mailbox
) -> None:
    with sqlite_database.writing() as db:
        campaign = create_campaign(db, name="حصاد " * 39, scale=FOUR_GRADES, organiser=None)
        shown = invite(db, campaign.id, role=Role.ASSESSOR, note=f"Ben <{ADA}>", invited_by=None)
        add_invitation(db, campaign.id, shown.id, shown.address)
    assert send_waiting(sqlite_database, mailbox.settings()) == 1
    (received,) = mailbox.received
    assert len(received["Subject"]) <= 150
    # What is read from the right stays within its marks.
    assert "“\u2068حصاد" in received.get_content()
    token = token_in(received.get_content(), "invitation")
    assert token != shown.token
    with sqlite_database.writing() as db:
        new = prepare_account(login="ben", name="Ben", password=PASSWORD, passwords=CHEAP)
        account, _ = accept_as_new(db, token, new)
        assert address_of(db, account.id).address == ADA


def test_a_link_that_was_shown_proves_no_address(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = create_campaign(db, name="Harbour", scale=FOUR_GRADES, organiser=None)
        shown = invite(db, campaign.id, role=Role.ASSESSOR, note=ADA, invited_by=None)
        new = prepare_account(login="ben", name="Ben", password=PASSWORD, passwords=CHEAP)
        account, _ = accept_as_new(db, shown.token, new)
        assert address_of(db, account.id).address == ""


@pytest.mark.parametrize(
    "change",
    [
        update(InvitationRow).values(withdrawn_at=NOW),
        update(InvitationRow).values(used_at=NOW),
        update(CampaignRow).values(archived_at=NOW),
    ],
    ids=["withdrawn", "accepted", "archived"],
)
def test_an_invitation_that_is_over_is_not_sent(sqlite_database: Database, change: Update) -> None:
    with sqlite_database.writing() as db:
        campaign = create_campaign(db, name="Harbour", scale=FOUR_GRADES, organiser=None)
        shown = invite(db, campaign.id, role=Role.ASSESSOR, note=ADA, invited_by=None)
        add_invitation(db, campaign.id, shown.id, ADA)
        db.execute(change)
        db.expire_all()
        assert (claim_next(db, SITE), claim_next(db, SITE)) == (True, False)
    assert states(sqlite_database) == [("not needed", 0)]


def test_an_address_that_was_proposed_no_longer_is_not_asked(sqlite_database: Database, ada: Account) -> None:
    with sqlite_database.writing() as db:
        add_confirmation(db, ada.id, "former@example.org")
        assert claim_next(db, SITE) is True


def test_a_refused_address_fails_at_once_and_a_busy_server_is_asked_again(
    sqlite_database: Database, mailbox: Mailbox
) -> None:
    mailbox.refusals = {"gone@example.org": "550 no such mailbox", "full@example.org": "452 mailbox full"}
    with sqlite_database.writing() as db:
        for address in ("gone@example.org", "full@example.org", ADA):
            add_test(db, address)
    assert send_waiting(sqlite_database, mailbox.settings()) == 1
    with sqlite_database.reading() as db:
        ok, full, gone = messages(db)
    assert (gone.state, gone.reason) == (DeliveryState.FAILED, "550 no such mailbox")
    assert (full.state, full.reason) == (DeliveryState.WAITING, "452 mailbox full")
    assert full.due_at > full.created_at + WAITS[0] - timedelta(seconds=1)
    assert (ok.state, ok.address) == (DeliveryState.SENT, ADA)
    mailbox.refusals = {}
    with sqlite_database.writing() as db:
        try_again(db, gone.id)
    assert send_waiting(sqlite_database, mailbox.settings()) == 1


def test_a_server_that_is_away_is_asked_for_one_message_only(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        add_test(db, ADA)
        add_test(db, ADA)
    away = Mailbox(1).settings()  # nothing listens there
    assert send_waiting(sqlite_database, away) == 0
    assert sorted(states(sqlite_database)) == [("waiting", 0), ("waiting", 1)]


def test_a_reply_that_quotes_the_link_is_stored_without_it(
    sqlite_database: Database, ada: Account, mailbox: Mailbox
) -> None:
    secret = "k" * 43  # as long as 256 bits in base 64
    mailbox.after_data = f"554 rejected: {SITE}/reset/{secret}"
    with sqlite_database.writing() as db:
        request_link(db, "ada", "192.0.2.1")
    assert send_waiting(sqlite_database, mailbox.settings()) == 0
    with sqlite_database.reading() as db:
        (line,) = messages(db)
    assert (line.state, secret in line.reason, line.reason[:12]) == (
        DeliveryState.FAILED,
        False,
        "554 rejected",
    )


def test_waits_grow_and_the_last_attempt_fails(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        with at(NOW):
            add_test(db, ADA)
        moment, waited = NOW, []
        for _ in range(len(WAITS) + 1):
            with at(moment):
                claimed = claim_next(db, SITE)
                assert not isinstance(claimed, bool)
                note_failed(db, claimed.id, "421 busy", for_good=False)
            (line,) = messages(db)
            waited.append(line.due_at - moment)
            moment = line.due_at
    assert tuple(waited[:-1]) == WAITS
    assert states(sqlite_database) == [("failed", len(WAITS) + 1)]


@pytest.mark.engines
def test_a_message_is_claimed_once_and_again_when_its_sender_was_killed(own_database: Database) -> None:
    with own_database.writing() as db, at(NOW):
        add_test(db, ADA)
    with own_database.writing() as db, at(NOW):
        first = claim_next(db, SITE)
    with own_database.writing() as db, at(NOW + CLAIM_LASTS - timedelta(seconds=1)):
        assert claim_next(db, SITE) is False
    with own_database.writing() as db, at(NOW + CLAIM_LASTS):
        second = claim_next(db, SITE)
    assert not isinstance(first, bool)
    assert not isinstance(second, bool)
    assert (first.id, first.attempt, second.id, second.attempt) == (1, 1, 1, 2)


def test_messages_are_forgotten_after_a_month(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        for moment in (NOW - timedelta(days=31), NOW):
            with at(moment):
                add_test(db, ADA)
        for _ in range(2):
            with at(NOW):
                claimed = claim_next(db, SITE)
                assert not isinstance(claimed, bool)
                note_sent(db, claimed.id)
        assert [row.created_at for row in db.scalars(select(MailMessageRow))] == [NOW]


def test_no_text_begins_a_header_of_its_own() -> None:
    settings = Mailbox(25).settings()
    hostile = "Harbour\r\nBcc: mallory@example.org\u2028\0\x85"
    email = email_of(Message(ADA, subject_of("Invitation to", hostile), hostile), "1", settings)
    head = email.as_bytes().partition(b"\r\n\r\n")[0].decode().splitlines()
    assert [line.partition(":")[0] for line in head if not line.startswith(" ")] == [
        *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted"),
        *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
    ]


def test_names_keep_their_joiners_and_lose_what_turns_the_line() -> None:
    # A zero-width non-joiner is part of Persian words; an override would turn the text after it.
    assert one_line("می\u200cشود \u202egnp.exe") == "می\u200cشود gnp.exe"
    assert isolated("Ada") == "Ada"
    assert isolated("נועה") == "\u2068נועה\u2069"


@pytest.mark.parametrize(
    "address",
    ["", "ada", "ada@example", "a b@example.org", "ada@example.org\r\nBcc: x@example.org", "ada@exa_mple.org",
     "ada@@example.org", '"a"@example.org', f"{'a' * 65}@example.org",
     f"ada@{'e' * 250}.org", "ä@example.org"],
)  # fmt: skip
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput) as error:
        checked_address(address)
    assert error.value.findings[0].code == "address"


def test_the_domain_of_an_address_has_one_form() -> None:
    assert checked_address(" Ada.L+x@Example.ORG ") == "Ada.L+x@example.org"


def test_the_message_id_changes_with_the_link() -> None:
    settings = Mailbox(25).settings()
    email = email_of(Message(ADA, "s", "b"), "7-2", settings)
    assert email["Message-ID"] == "<workbench-7-2@judge.example.org>"


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate for localhost that this process trusts, with its key in the same file."""
    path = localhost_certificate(tmp_path / "localhost.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    return path


def test_a_message_goes_encrypted_and_with_a_login_to_a_trusted_server_only(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with mail_server(context) as mailbox:
        settings = mailbox.settings(security="starttls", login=LOGIN, password=SECRET)
        send_test(settings, ADA)
        assert mailbox.received[0]["To"] == ADA
        with pytest.raises(NotSent, match="refused the login: 535"):
            send_test(replace(settings, password="wrong"), ADA)
        monkeypatch.delenv("SSL_CERT_FILE")
        with pytest.raises(NotSent, match="CERTIFICATE_VERIFY_FAILED"):
            send_test(settings, ADA)
        assert len(mailbox.received) == 1
        assert SECRET not in repr(settings)


def test_disabled_accounts_get_no_link(sqlite_database: Database, ada: Account, mailbox: Mailbox) -> None:
    with sqlite_database.writing() as db:
        request_link(db, "ada", "192.0.2.1")
        db.execute(update(AccountRow).values(disabled_at=NOW))
    assert send_waiting(sqlite_database, mailbox.settings()) == 0
    assert states(sqlite_database) == []
