"""Events delivered to a real receiver: what arrives, what is tried again, and what is told nowhere else."""

from __future__ import annotations

import json
import logging
import re
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from tests.builders import ALPHA, pooled_campaign, send_runs
from tests.webhooks import INSIDE, PUBLIC, Receiver, a_webhook, receiver
from tests.workflow.releases.test_releases import judged, released
from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.help.manual import page_named
from workbench.storage.engine import Database
from workbench.storage.tables import WebhookDeliveryRow
from workbench.workflow.delivery_queue import CLAIM_LASTS, KEPT, WAITS, DeliveryState
from workbench.workflow.webhooks import sending
from workbench.workflow.webhooks.deliveries import (
    MOST_ATTEMPTS,
    ClaimedDelivery,
    Delivery,
    FailedAttempt,
    claim_next,
    deliveries,
    note_accepted,
    note_failed,
    send_again,
)
from workbench.workflow.webhooks.outbox import EventType, add_event
from workbench.workflow.webhooks.sending import NotDelivered, deliver, send_waiting
from workbench.workflow.webhooks.signing import new_secret, signature_headers
from workbench.workflow.webhooks.webhooks import (
    MOST_WEBHOOKS,
    Webhook,
    add_webhook,
    change_events,
    send_test,
    turn_off,
    turn_on,
    webhook_of,
)

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # of the specification's libraries, whose tests have it


@pytest.fixture
def program() -> Iterator[Receiver]:
    with receiver() as running:
        yield running


@pytest.fixture
def campaign(sqlite_database: Database) -> int:
    with sqlite_database.writing() as db:
        return pooled_campaign(db)[0].campaign.id


def delivered(database: Database, webhook_id: int) -> tuple[Delivery, ...]:
    with database.reading() as db:
        return deliveries(db, webhook_id)[::-1]


def state_of(database: Database, campaign_id: int, webhook_id: int) -> Webhook:
    with database.reading() as db:
        return webhook_of(db, campaign_id, webhook_id)


def verified_as_in_the_manual(secret: str, headers: dict[str, str], body: bytes) -> Any:
    """What the receiver of the help page makes of a delivery."""
    (code,) = re.findall(r"```python\n(.*?)```", page_named("webhooks").text, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["verified"](secret, headers, body)


def test_a_signature_is_that_of_the_specifications_libraries() -> None:
    # The example in the tests of the Python and JavaScript libraries of Standard Webhooks.
    at = datetime.fromtimestamp(1614265330, UTC)
    assert signature_headers(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', at) == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    assert new_secret() != new_secret()


def test_a_run_is_told_with_a_signature_that_the_manuals_receiver_verifies(
    sqlite_database: Database, campaign: int, program: Receiver
) -> None:
    with sqlite_database.writing() as db:
        made = add_webhook(db, campaign, program.url, [EventType.RUN_RECEIVED], inside=INSIDE)
        send_runs(db, campaign, gamma=ALPHA)
    assert send_waiting(sqlite_database, INSIDE) == 1
    ((headers, body),) = program.received
    event = verified_as_in_the_manual(made.secret, headers, body)
    assert verified_as_in_the_manual(new_secret(), headers, body) is None
    assert verified_as_in_the_manual(made.secret, headers, body + b" ") is None
    (line,) = delivered(sqlite_database, made.webhook.id)
    assert (event["id"], headers["webhook-id"]) == (line.event_id, line.event_id)
    assert (event["type"], sorted(event["data"])) == ("run.received", ["campaign", "run", "sha256"])
    assert event["data"]["run"] == "gamma"
    assert (line.state, line.attempts, line.status) == (DeliveryState.SENT, 1, 204)
    assert headers["content-type"] == "application/json"


def test_a_release_is_told_to_those_who_asked_and_a_refused_run_to_nobody(sqlite_database: Database) -> None:
    campaign = judged(sqlite_database)
    with sqlite_database.writing() as db:
        asked = add_webhook(db, campaign, PUBLIC, [EventType.RELEASE_MADE]).webhook.id
        other = add_webhook(db, campaign, PUBLIC, [EventType.TOPIC_FINISHED]).webhook.id
        off = add_webhook(db, campaign, PUBLIC, [EventType.RELEASE_MADE]).webhook.id
        turn_off(db, campaign, off)
        assert send_runs(db, campaign, alpha=ALPHA).refused
    made = released(sqlite_database, campaign)
    (line,) = delivered(sqlite_database, asked)
    data = json.loads(line.payload)["data"]
    assert (data["release"], data["sha256"]) == ("1.0", made.release.sha256)
    assert (delivered(sqlite_database, other), delivered(sqlite_database, off)) == ((), ())


def test_what_was_not_committed_is_sent_to_nobody(sqlite_database: Database, campaign: int) -> None:
    with sqlite_database.writing() as db:
        webhook = add_webhook(db, campaign, PUBLIC, [EventType.RUN_RECEIVED]).webhook.id
    with sqlite_database.writing() as db:
        send_runs(db, campaign, gamma=ALPHA)
        assert len(deliveries(db, webhook)) == 1
        db.rollback()
    assert delivered(sqlite_database, webhook) == ()


@pytest.mark.parametrize(
    ("status", "reason"),
    [(302, "redirects are not followed"), (404, "status 404 Not Found"), (503, "Service Unavailable")],
)
def test_another_status_is_no_success_and_no_redirect_is_followed(
    sqlite_database: Database, campaign: int, program: Receiver, status: int, reason: str
) -> None:
    program.status, program.headers = status, {"Location": program.url}
    program.body = b"out of\n order\x00" + b"." * 5000
    with sqlite_database.writing() as db:
        webhook = a_webhook(db, campaign, program.url)
    assert send_waiting(sqlite_database, INSIDE) == 0
    assert len(program.received) == 1
    (line,) = delivered(sqlite_database, webhook)
    assert (line.state, line.status, line.attempts) == (DeliveryState.WAITING, status, 1)
    assert reason in line.reason
    assert (line.answer[:15], len(line.answer)) == ("out of order ..", 200)


def test_a_delivery_that_is_tried_again_has_the_same_id_and_body(
    sqlite_database: Database, campaign: int, program: Receiver
) -> None:
    program.status = 500
    with sqlite_database.writing() as db:
        webhook = a_webhook(db, campaign, program.url)
    send_waiting(sqlite_database, INSIDE)
    program.status = 200
    (line,) = delivered(sqlite_database, webhook)
    with sqlite_database.writing() as db:
        send_again(db, campaign, webhook, line.id)
    assert send_waiting(sqlite_database, INSIDE) == 1
    (first, body), (second, same) = program.received
    assert (first["webhook-id"], body) == (second["webhook-id"], same)
    assert state_of(sqlite_database, campaign, webhook).failures == 0


def test_a_webhook_rests_longer_each_time_and_is_off_after_a_day(
    sqlite_database: Database, campaign: int
) -> None:
    with sqlite_database.writing() as db:
        webhook = a_webhook(db, campaign)
        for _ in range(20):
            add_event(db, campaign, EventType.RUN_RECEIVED, {"run": "r"}, now=NOW)
        db.execute(update(WebhookDeliveryRow).values(due_at=NOW))
    moment, waited = NOW, []
    for attempt in range(1, MOST_ATTEMPTS + 1):
        with sqlite_database.writing() as db:
            claimed = claim_next(db, now=moment)
            assert claimed is not None
            note_failed(db, claimed.id, FailedAttempt("status 503", 503), now=moment)
            # However many wait: none of them is tried meanwhile.
            assert claim_next(db, now=moment) is None
        found = state_of(sqlite_database, campaign, webhook)
        assert found.failures == attempt
        if found.resting_until is not None:
            waited.append(found.resting_until - moment)
            moment = found.resting_until
    assert tuple(waited) == WAITS
    assert (found.off_at, found.off_reason) == (
        moment,
        "8 attempts in a row failed, the last one with: status 503",
    )
    with sqlite_database.writing() as db:
        assert claim_next(db, now=moment + timedelta(days=2)) is None
        with pytest.raises(Conflict):
            send_test(db, campaign, webhook)
        turn_on(db, campaign, webhook, now=moment)
        # At once, and not when each would have been tried next.
        assert {line.due_at for line in deliveries(db, webhook) if line.state == "waiting"} == {moment}
        assert claim_next(db, now=moment) is not None


def test_a_receiver_that_is_gone_is_told_nothing_more(
    sqlite_database: Database, campaign: int, program: Receiver
) -> None:
    program.status = 410
    with sqlite_database.writing() as db:
        webhook = a_webhook(db, campaign, program.url)
        send_test(db, campaign, webhook)
    assert send_waiting(sqlite_database, INSIDE) == 0
    assert len(program.received) == 1
    assert state_of(sqlite_database, campaign, webhook).off_at is not None


def test_one_that_does_not_answer_delays_no_other(
    sqlite_database: Database, campaign: int, program: Receiver
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://localhost:{closed.getsockname()[1]}/"
        with sqlite_database.writing() as db:
            away = a_webhook(db, campaign, nobody)
            a_webhook(db, campaign, program.url)
        assert send_waiting(sqlite_database, INSIDE) == 1
    (line,) = delivered(sqlite_database, away)
    assert (line.status, line.reason) == (None, "Connection refused")


@pytest.mark.engines
def test_a_claimed_delivery_is_sent_by_nobody_else_until_the_claim_ends(database: Database) -> None:
    with database.writing() as db:
        webhook = a_webhook(db, pooled_campaign(db)[0].campaign.id)
        db.execute(update(WebhookDeliveryRow).values(due_at=NOW))
    with database.writing() as db:
        first = claim_next(db, now=NOW)
        assert first is not None
    with database.writing() as db:
        assert claim_next(db, now=NOW + CLAIM_LASTS - timedelta(seconds=1)) is None
        # Its process was killed: the same delivery, and not another one.
        second = claim_next(db, now=NOW + CLAIM_LASTS)
        assert second == first
        note_accepted(db, first.id, 200, now=NOW + KEPT)
    assert [(one.state, one.attempts) for one in delivered(database, webhook)] == [("sent", 2)]


def test_an_answer_that_comes_byte_by_byte_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        over = threading.Event()

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                for byte in b"HTTP/1.1 200 OK\r\n" + b"X: y" * 100:
                    if over.wait(0.02):
                        return
                    try:
                        connection.send(bytes([byte]))
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        url = f"http://localhost:{server.getsockname()[1]}/"
        try:
            with pytest.raises(NotDelivered) as error:
                deliver(ClaimedDelivery(1, url, SECRET, "evt_1", "{}"), INSIDE)
        finally:
            over.set()
            thread.join()
    assert error.value.attempt.reason.startswith("no answer within")


def test_a_host_that_leads_inside_is_no_longer_told_once_it_is_not_allowed(program: Receiver) -> None:
    claimed = ClaimedDelivery(1, program.url, SECRET, "evt_1", "{}")
    assert deliver(claimed, INSIDE) == 204
    with pytest.raises(NotDelivered):
        deliver(claimed, ())
    assert len(program.received) == 1


def test_neither_the_secret_nor_the_address_is_in_a_log(
    sqlite_database: Database, campaign: int, program: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    program.status = 500
    with sqlite_database.writing() as db:
        made = add_webhook(db, campaign, program.url, [EventType.RUN_RECEIVED], inside=INSIDE)
        send_test(db, campaign, made.webhook.id)
        claimed = claim_next(db)
        assert claimed is not None
        send_again(db, campaign, made.webhook.id, claimed.id)
    send_waiting(sqlite_database, INSIDE)
    assert caplog.records
    for one in (caplog.text, repr(claimed), repr(made)):
        assert made.secret not in one
    assert "of=tests" not in caplog.text + repr(claimed)


def test_webhooks_are_bounded_and_those_of_other_campaigns_are_not_there(
    sqlite_database: Database, campaign: int
) -> None:
    with sqlite_database.writing() as db:
        first = a_webhook(db, campaign)
        (line,) = deliveries(db, first)
        with pytest.raises(InvalidInput) as error:
            add_webhook(db, campaign, "nowhere", [])
        assert [one.code for one in error.value.findings] == ["url", "events"]
        with pytest.raises(InvalidInput):
            change_events(db, campaign, first, ["run.eaten"])
        for _ in range(MOST_WEBHOOKS - 1):
            second = add_webhook(db, campaign, PUBLIC, ["run.received"]).webhook.id
        with pytest.raises(Conflict):
            add_webhook(db, campaign, PUBLIC, ["run.received"])
        with pytest.raises(NotFound):
            turn_on(db, campaign + 1, first)
        with pytest.raises(NotFound):
            send_again(db, campaign, second, line.id)
