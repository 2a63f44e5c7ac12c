"""The threads of a server process that send mail, deliver to webhooks and finish imports, beside requests."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from workbench.errors import Unavailable
from workbench.settings import MailSettings
from workbench.storage.engine import Database
from workbench.web.context import Context
from workbench.workflow.judging.finished_topics import announce_finished_topics
from workbench.workflow.judging.large_imports import resume_stalled
from workbench.workflow.mail import queue
from workbench.workflow.mail.sending import send_waiting as send_mail
from workbench.workflow.webhooks import deliveries
from workbench.workflow.webhooks.sending import send_waiting as send_deliveries

LOG = logging.getLogger(__name__)
LOOK_SECONDS = 5.0
IMPORTS_SECONDS = 10.0
TOPICS_SECONDS = 15.0
"""Between two looks for finished topics, which read more."""


def start_background_work(context: Context) -> None:
    """Start a thread for each kind of work, so that none waits for another; no mail without a server."""
    database, settings = context.database, context.settings
    mail = settings.mail
    if mail is not None:
        _start("mail", LOOK_SECONDS, lambda: mail_if_due(database, mail))
    _start("webhooks", LOOK_SECONDS, lambda: deliver_if_due(database, settings.webhook_hosts))
    _start("imports", IMPORTS_SECONDS, lambda: resume_stalled(database))
    _start("finished topics", TOPICS_SECONDS, lambda: announce_finished_topics(database))


def mail_if_due(database: Database, settings: MailSettings) -> int:
    """Send messages that are due; reads first, since every process looks and writers make others wait."""
    with database.reading() as db:
        due = queue.any_due(db)
    return send_mail(database, settings) if due else 0


def deliver_if_due(database: Database, inside: tuple[str, ...]) -> int:
    """Deliver to webhooks what is due; reads first, as `mail_if_due` does."""
    with database.reading() as db:
        due = deliveries.any_due(db)
    return send_deliveries(database, inside) if due else 0


def _start(name: str, seconds: float, act: Callable[[], object]) -> None:
    threading.Thread(target=_repeat, args=(name, seconds, act), name=name, daemon=True).start()


def _repeat(name: str, seconds: float, act: Callable[[], object]) -> None:
    while True:
        try:
            act()
        except Unavailable as error:
            LOG.warning("%s: nothing is done: %s", name, error)
        except Exception:  # whatever it was, the next may be done
            LOG.exception("%s: something is not done", name)
        time.sleep(seconds)
