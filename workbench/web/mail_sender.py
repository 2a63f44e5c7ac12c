"""The thread of a server process that sends what waits in the queue of messages; no request waits for it."""

from __future__ import annotations

import logging
import threading
import time

from workbench.errors import Unavailable
from workbench.settings import MailSettings
from workbench.storage.engine import Database
from workbench.web.context import Context
from workbench.workflow.mail.queue import any_due
from workbench.workflow.mail.sending import send_waiting

LOG = logging.getLogger(__name__)
LOOK_SECONDS = 5.0


def start_sending(context: Context) -> None:
    """Start the thread, unless this site sends no mail."""
    if context.settings.mail is not None:
        threading.Thread(
            target=_send, args=(context.database, context.settings.mail), name="mail", daemon=True
        ).start()


def send_if_due(database: Database, settings: MailSettings) -> int:
    """Send what is due; reads first, since every process looks and a writer makes others wait."""
    with database.reading() as db:
        due = any_due(db)
    return send_waiting(database, settings) if due else 0


def _send(database: Database, settings: MailSettings) -> None:
    while True:
        try:
            send_if_due(database, settings)
        except Unavailable as error:
            LOG.warning("no mail is sent: %s", error)
        except Exception:  # whatever it was, the next message may be sent
            LOG.exception("a message is not sent")
        time.sleep(LOOK_SECONDS)
