"""What the audit trail is told of requests: acts of organisers and administrators, sign-ins, refusals.

Every form that such a page posts leaves an entry: in the transaction in which it changes something (see
`context.writing`), otherwise after it was answered. What assessors save has a history of its own.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from flask import Flask, current_app, g, request
from werkzeug.wrappers import Response

from workbench.errors import Unavailable
from workbench.storage import Session
from workbench.web.access import Access, Who, access_of, here_or_none, viewer_or_none
from workbench.web.context import app_context
from workbench.web.requests import of_api
from workbench.web.security import SAFE_METHODS
from workbench.workflow.people.membership import Role
from workbench.workflow.people.trail import DONE, Act, add_entry, recorded

HEADER = "X-Request-ID"
# What people do to their own account, and at the entrance.
OWN_ACTS = frozenset(
    {
        "account",
        "access_tokens",
        "entrance",
        "lost_passwords",
        "mail_address",
        "openid_link",
        "sign_in_codes",
        "two_factor",
    }
)
# Whether they succeed is known after their transaction, which stores failures as well.
ATTEMPTS = frozenset(
    {
        "entrance.enter",
        "account.change_password",
        "mail_address.change",
        "openid_link.link",
        "openid_link.unlink",
        "sign_in_codes.check",
        "two_factor.renew",
        "two_factor.turn_off",
        "two_factor.turn_on",
    }
)
# Acts without a form: the provider leads the browser back by a link.
LED_BACK = frozenset({"openid.finish"})
BAD_REQUEST, FORBIDDEN = 400, 403
LOG = logging.getLogger(__name__)


def is_recorded(access: Access | None, endpoint: str) -> bool:
    """Whether a form that is posted to an endpoint leaves an entry."""
    if access is None:
        return False
    of_campaign = access.who is Who.MEMBER and Role.ORGANISER in access.roles
    return of_campaign or access.who is Who.ADMINISTRATOR or endpoint.partition(".")[0] in OWN_ACTS


def init_app(app: Flask) -> None:
    """Give each request an id, and have its act recorded."""

    def begin() -> None:
        # By it the response, the trail and the log tell of the same request.
        g.request_id, g.began = secrets.token_hex(8), time.perf_counter()
        endpoint = request.endpoint or ""
        changes = request.method not in SAFE_METHODS if of_api() else request.method == "POST"
        recorded_form = changes and is_recorded(access_of(current_app, endpoint), endpoint)
        g.of_trail = recorded_form or endpoint in LED_BACK
        if g.of_trail and endpoint not in ATTEMPTS:
            g.recording = _recording

    def end(response: Response) -> Response:
        response.headers[HEADER] = g.request_id
        if g.get("recorded"):
            return response
        act, status = _act(), response.status_code
        if g.of_trail and status < BAD_REQUEST:
            _add(act)
        elif g.of_trail or (status == FORBIDDEN and act.account_id is not None):
            # A flood of the same refusal is one entry a minute.
            times = app_context().repeats.times(act.account_id, act.name, status)
            if times:
                _add(replace(act, asked={**act.asked, "times": times}), outcome=str(status))
        return response

    app.before_request(begin)
    app.after_request(end)


def _add(act: Act, outcome: str = DONE, changes: Sequence[dict[str, Any]] = ()) -> None:
    try:
        with app_context().database.writing() as db:
            add_entry(db, act, outcome=outcome, changes=changes)
    except Unavailable as error:
        # What was done or refused is done or refused; the log has it instead.
        LOG.error(
            "the trail lacks %s of account %s, request %s: %s", act.name, act.account_id, act.request, error
        )


@contextmanager
def _recording(db: Session) -> Iterator[None]:
    with recorded(db, _act()):
        yield
    g.recorded = True


def _act() -> Act:
    viewer, here = viewer_or_none(), here_or_none()
    asked = {name: value for name, value in (request.view_args or {}).items() if name != "token"}
    if "access_token" in g:
        asked["access_token"] = g.access_token
    return Act(
        request.endpoint or "",
        viewer.id if viewer is not None else g.get("attempted"),
        here.id if here is not None else None,
        g.request_id,
        asked,
    )
