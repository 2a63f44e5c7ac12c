"""`workbench mail`: messages listed and sent, and the settings of the server tried."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.executable import Terminal
from tests.mail import SITE, Mailbox, mail_server
from workbench.workflow.mail.queue import add_confirmation, add_test
from workbench.workflow.people.accounts import account_by_login

ADA = "ada@example.org"


@pytest.fixture(scope="module")
def running() -> Iterator[Mailbox]:
    with mail_server() as mailbox:
        yield mailbox


@pytest.fixture
def mailbox(running: Mailbox) -> Mailbox:
    """A mail server that has received nothing and refuses nobody."""
    running.received.clear()
    running.refusals.clear()
    return running


def with_server(terminal: Terminal, port: int) -> Terminal:
    """The terminal, with settings for a mail server at this port."""
    terminal.environment |= {
        "WORKBENCH_MAIL_HOST": "localhost",
        "WORKBENCH_MAIL_PORT": str(port),
        "WORKBENCH_MAIL_SECURITY": "none",
        "WORKBENCH_MAIL_FROM": "Workbench <bench@example.org>",
        "WORKBENCH_ADDRESS": SITE,
        "WORKBENCH_PREFIX": "/bench",
    }
    return terminal


def queued(terminal: Terminal, *addresses: str) -> None:
    with terminal.database() as database, database.writing() as db:
        for address in addresses:
            add_test(db, address)


def test_what_waits_is_sent_and_listed_the_latest_first(populated: Terminal, mailbox: Mailbox) -> None:
    terminal = with_server(populated, mailbox.port)
    mailbox.refusals["gone@example.org"] = "550 no such mailbox"
    queued(terminal, ADA)
    assert terminal.does("mail", "send") == b"1 message sent\n"
    queued(terminal, "gone@example.org", "ben@example.org", "vera@example.org")
    assert terminal.does("mail", "send") == b"2 messages sent\n"
    assert [one["To"] for one in mailbox.received] == [ADA, "ben@example.org", "vera@example.org"]
    *_, gone, ada = terminal.json("mail", "list")
    assert (gone["address"], gone["state"], gone["reason"]) == (
        "gone@example.org", "failed", "550 no such mailbox",
    )  # fmt: skip
    assert (ada["state"], ada["kind"], ada["attempts"], ada["login"]) == ("sent", "test", 1, "")
    assert ada["sent_at"] >= ada["created_at"]
    assert gone["sent_at"] is None
    heading, *lines = terminal.does("mail", "list").decode().splitlines()
    assert heading == "message\tkind\tstate\taddress\tasked for\tattempts\treason"
    assert [line.split("\t")[3] for line in lines] == [
        "vera@example.org", "ben@example.org", "gone@example.org", ADA,
    ]  # fmt: skip


def test_a_message_of_an_account_names_it(populated: Terminal) -> None:
    with populated.database() as database, database.writing() as db:
        add_confirmation(db, account_by_login(db, "ada").id, ADA)
    (one,) = populated.json("mail", "list")
    assert (one["login"], one["kind"], one["state"], one["campaign"]) == (
        "ada",
        "confirmation",
        "waiting",
        "",
    )


def test_a_test_message_is_sent_at_once_or_it_is_said_what_is_wrong(
    terminal: Terminal, mailbox: Mailbox
) -> None:
    with_server(terminal, mailbox.port)
    assert terminal.does("mail", "test", ADA) == b"localhost accepted the message\n"
    (sent,) = mailbox.received
    assert sent["To"] == ADA
    mailbox.refusals[ADA] = "550 no such mailbox"
    said = terminal.refused("mail", "test", ADA)
    assert "the message was not sent: 550 no such mailbox (check the WORKBENCH_MAIL_ settings)" in said
    assert "messages cannot be sent to this address" in terminal.refused("mail", "test", "ada")


def test_a_site_without_a_mail_server_says_which_setting_is_missing(terminal: Terminal) -> None:
    for words in (("send",), ("test", ADA)):
        assert "this site sends no e-mail (set WORKBENCH_MAIL_HOST)" in terminal.refused("mail", *words)
    assert terminal.json("mail", "list") == []
