"""The threads of a server process that send mail and finish imports, beside requests."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from workbench.errors import Unavailable
from workbench.settings import MailSettings
from workbench.storage.engine import Database
from workbench.web.context import Context
from workbench.workflow.judging.large_imports import resume_stalled
from workbench.workflow.mail import queue
from workbench.workflow.mail.sending import send_waiting

LOG = logging.getLogger(__name__)
MAIL_SECONDS = 5.0
IMPORTS_SECONDS = 10.0


def start_background_work(context: Context) -> None:
    """Start a thread for each kind of work, so that none waits for another; no mail without a server."""
    database, mail = context.database, context.settings.mail
    if mail is not None:
        _start("mail", MAIL_SECONDS, lambda: mail_if_due(database, mail))
    _start("imports", IMPORTS_SECONDS, lambda: resume_stalled(database))


def mail_if_due(database: Database, settings: MailSettings) -> int:
    """Send messages that are due; reads first, since every process looks and writers make others wait."""
    with database.reading() as db:
        due = queue.any_due(db)
    return send_waiting(database, settings) if due else 0


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
