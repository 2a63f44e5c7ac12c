"""Access control: every view states by a decorator who may call it; a view without one is refused.

The decorator marks the view function, where the guard, the navigation and the tests read it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from flask import Flask, current_app, g, request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized
from werkzeug.wrappers import Response

from workbench.errors import Conflict, NotAllowed, NotFound, Unavailable
from workbench.frozen import frozen_dataclass
from workbench.settings import TwoFactorDemand
from workbench.web.context import Context, app_context, asking, context_of, reading
from workbench.web.requests import (
    API,
    Reply,
    bearer_of,
    from_script,
    go_to,
    of_api,
    page_asked_for,
    read_token,
)
from workbench.workflow.campaigns.campaigns import ARCHIVED, LONGEST_GUIDELINES, RESTORE
from workbench.workflow.campaigns.visits import Visit, VisitedCampaign, token_visit_of, visit_of
from workbench.workflow.judging.worklists import effective_roles, may_be_suspended
from workbench.workflow.people.accounts import Account, any_account
from workbench.workflow.people.membership import Role
from workbench.workflow.people.sessions import Scope, note_token_use, use_is_noted
from workbench.workflow.people.two_factor import has_to_turn_on

# A sign-in is far smaller; the desk of a disabled account may still deliver a batch of answers.
BYTES_FROM_STRANGERS = 64 * 1024
# Forms and JSON without guidelines, which may be longer (see `takes_guidelines`).
BYTES_OF_A_FORM = 1024**2
# The content type of forms with files. Only their parser writes to disk; JSON takes thirty times its size.
FILES = "multipart/form-data"
View = TypeVar("View", bound=Callable[..., Any])
ATTRIBUTE = "workbench_access"
FILE = "workbench_file"
"""What views of files have, that programs may ask for by the address of the page."""
# A character outside the basic plane takes twelve bytes, in JSON with escapes as in the body of a form.
BYTES_WITH_GUIDELINES = 12 * LONGEST_GUIDELINES + BYTES_OF_A_FORM


class Who(StrEnum):
    """The kinds of access."""

    ANYONE = "anyone"
    SIGNED_IN = "signed in"
    ADMINISTRATOR = "administrator"
    MEMBER = "member"


@frozen_dataclass
class Access:
    """Who may call a view; `roles`, of which one is enough, applies to members only.

    `in_archive` says that it may change something in an archived campaign, as nothing else may;
    `stranger_bytes` is how large a body may be of whoever is not signed in, `text_bytes` a form or JSON of
    others, and `uploads` says that their body is a file, of whatever content type.
    """

    who: Who
    roles: frozenset[Role] = frozenset()
    in_archive: bool = False
    stranger_bytes: int = BYTES_FROM_STRANGERS
    text_bytes: int = BYTES_OF_A_FORM
    uploads: bool = False


@frozen_dataclass
class Viewer:
    """The account that is signed in."""

    id: int
    login: str
    name: str
    administrator: bool
    key: str


@frozen_dataclass
class Here:
    """The campaign of the page, and the viewer's roles in it."""

    id: int
    slug: str
    name: str
    illustrative: bool
    roles: frozenset[Role]
    archived_at: datetime | None = None


class AskedBy(NamedTuple):
    """Who has asked for a page that a job makes, where, and how this person reads: the guard has let them."""

    viewer: Viewer
    here: Here
    look: Any


ASKED_BY = "workbench.asked_by"
"""In the environment of a request that a job makes; nobody can send it (RFC 3875: headers are HTTP_*)."""


def anyone(view: View) -> View:
    """Open to everybody, signed in or not."""
    return _state(view, Access(Who.ANYONE))


def signed_in(view: View) -> View:
    """Open to everybody who is signed in."""
    return _state(view, Access(Who.SIGNED_IN))


def administrator(view: View) -> View:
    """Open to administrators."""
    return _state(view, Access(Who.ADMINISTRATOR))


def member(*roles: Role) -> Callable[[View], View]:
    """Open to members of the campaign in the address who have one of the roles."""
    if not roles:
        raise ValueError("name the roles")

    def decorate(view: View) -> View:
        return _state(view, Access(Who.MEMBER, frozenset(roles)))

    return decorate


def in_archive(view: View) -> View:
    """Let a view, which states already who may call it, change something in an archived campaign too."""
    return _restate(view, in_archive=True)


def takes_from_strangers(most: int) -> Callable[[View], View]:
    """Let a view, which states already who may call it, take bodies of `most` bytes from strangers."""

    def decorate(view: View) -> View:
        return _restate(view, stranger_bytes=most)

    return decorate


def takes_guidelines(view: View) -> View:
    """Let a view, which states already who may call it, take the longest guidelines, however encoded."""
    return _restate(view, text_bytes=BYTES_WITH_GUIDELINES)


def takes_uploads(view: View) -> View:
    """Let a view, which states already who may call it, take a file as its body."""
    return _restate(view, uploads=True)


def body_limit(app: Flask, endpoint: str | None, kind: str, *, signed_in: bool) -> int:
    """How large the body of a request to an endpoint may be, in bytes, by its content type."""
    stated = (access_of(app, endpoint) if endpoint else None) or Access(Who.ANYONE)
    if not signed_in:
        return stated.stranger_bytes
    if stated.uploads or kind.partition(";")[0].strip().casefold() == FILES:
        return context_of(app).settings.max_upload_bytes
    return stated.text_bytes


def access_of(app: Flask, endpoint: str) -> Access | None:
    """The access that the view of an endpoint states, or None if it states none or does not exist."""
    found = getattr(app.view_functions.get(endpoint), ATTRIBUTE, None)
    return found if isinstance(found, Access) else None


def viewer_or_none() -> Viewer | None:
    """Who is signed in, also on pages that are open to anyone."""
    found = g.get("viewer")
    return found if isinstance(found, Viewer) else None


def disabled_account() -> Account | None:
    """The account of a valid session that nothing opens to, because it is disabled."""
    found = g.get("disabled")
    return found if isinstance(found, Account) else None


def viewer() -> Viewer:
    """Who is signed in, on pages that require it."""
    found = viewer_or_none()
    if found is None:
        raise NotAllowed("nobody is signed in")
    return found


def here_or_none() -> Here | None:
    """The campaign of the page, if it has one."""
    found = g.get("campaign")
    return found if isinstance(found, Here) else None


def here() -> Here:
    """The campaign of the page, on pages of a campaign."""
    found = here_or_none()
    if found is None:
        raise NotFound("this page belongs to no campaign")
    return found


def token_scopes() -> tuple[Scope, ...]:
    """What the access token of this request may be used for; nothing without one."""
    found: tuple[Scope, ...] = g.get("scopes", ())
    return found


def is_valid(context: Context, token: str, *, of_api: bool = False) -> bool:
    """Whether a token is that of a valid session, or `of_api` a valid access token."""
    with context.database.asking() as connection:
        if of_api:
            found = token_visit_of(connection, token)
            visit = found.visit if found is not None else None
        else:
            visit = visit_of(connection, token, idle=context.settings.session_idle)
    return visit is not None and not visit.disabled


def guard() -> Reply | None:
    """Before every request: identify the viewer and check their access.

    Raises NotAllowed if a role is missing, NotFound for a campaign in which the viewer has no role.
    """
    if request.endpoint == "static":
        return None
    asked_by: AskedBy | None = request.environ.get(ASKED_BY)
    if asked_by is not None:
        g.viewer, g.campaign, g.look = asked_by
        return None
    _recognise()
    request.max_content_length = body_limit(
        current_app, request.endpoint, request.mimetype, signed_in=viewer_or_none() is not None
    )
    if request.endpoint is None:
        return None
    statement = access_of(current_app, request.endpoint)
    if statement is None:
        if current_app.testing:
            raise RuntimeError(f"{request.endpoint} does not say who may call it")
        raise NotAllowed("this page is not available")
    if statement.who is Who.ANYONE:
        return None
    if viewer_or_none() is None:
        return _ask_to_sign_in()
    if of_api() and not request.path.startswith(API) and Scope.READ not in token_scopes():
        raise NotAllowed("this token does not let you read", remedy="create one with the scope read")
    demand = app_context().settings.two_factor_demand
    if demand is not TwoFactorDemand.NOBODY and not _may_go_on(request.endpoint, demand):
        return _lead_to_two_factor(demand)
    if statement.who is Who.ADMINISTRATOR and not viewer().administrator:
        raise NotAllowed("this page is for administrators", remedy="ask an administrator")
    if statement.who is Who.MEMBER:
        _enter_campaign(statement)
    return None


def init_app(app: Flask) -> None:
    """Guard every request, and fill in the slug in URLs of a campaign."""

    @app.url_value_preprocessor
    def take_slug(_endpoint: str | None, values: dict[str, Any] | None) -> None:
        g.slug = values.pop("slug", None) if values else None

    @app.url_defaults
    def give_slug(endpoint: str, values: dict[str, Any]) -> None:
        if "slug" not in values and g.get("slug") and app.url_map.is_endpoint_expecting(endpoint, "slug"):
            values["slug"] = g.slug

    app.before_request(guard)


def _state(view: View, statement: Access) -> View:
    setattr(view, ATTRIBUTE, statement)
    return view


def _restate(view: View, **changes: Any) -> View:
    return _state(view, replace(getattr(view, ATTRIBUTE), **changes))


def _recognise_program() -> None:
    secret = bearer_of(request.environ)
    if secret is None:
        return
    with asking() as connection:
        found = token_visit_of(connection, secret, g.slug)
    if found is None or found.visit.disabled:
        return
    _enter(found.visit)
    g.access_token, g.scopes = found.token_id, found.scopes
    if not use_is_noted(found.used_at):
        # Not worth an error where the database is busy.
        with suppress(Unavailable), app_context().database.writing() as db:
            note_token_use(db, found.token_id)


def _is_file() -> bool:
    """Whether a file of a page is asked for, which a program with a token may have too."""
    view = current_app.view_functions.get(request.endpoint or "")
    return request.method in {"GET", "HEAD"} and hasattr(view, FILE)


def _enter(visit: Visit) -> None:
    account = visit.account
    g.visited, g.look = visit.campaign, visit.look
    g.viewer = Viewer(account.id, account.login, account.name, account.administrator, account.key)


def _recognise() -> None:
    if of_api():
        # A cookie opens nothing here, so that no page of another site can use it.
        if request.path.startswith(API) or _is_file():
            _recognise_program()
        return
    token = read_token()
    if token is None:
        return
    with asking() as connection:
        visit = visit_of(connection, token, g.slug, idle=app_context().settings.session_idle)
    if visit is None or visit.disabled:
        g.disabled = visit.account if visit is not None else None
        return
    if visit.unnoted:
        app_context().uses.note(app_context().database, token)
    g.token = token
    _enter(visit)


def _ask_to_sign_in() -> Reply:
    if of_api():
        raise Unauthorized(www_authenticate=WWWAuthenticate("bearer"))
    if from_script():
        # The open page decides what to do; it must not be replaced by the sign-in form.
        return "Signed out", 401
    with reading() as db:
        if not any_account(db):
            return go_to("entrance.welcome")
    return go_to(
        "entrance.sign_in",
        next=page_asked_for(),
        why=None if request.method in {"GET", "HEAD"} else "not-sent",
    )


def _may_go_on(endpoint: str, demand: TwoFactorDemand) -> bool:
    """Whether the viewer lacks no second factor, or does what is needed to have one, or leaves."""
    if endpoint == "entrance.sign_out" or endpoint.partition(".")[0] == "two_factor":
        return True
    with asking() as connection:
        lacks = has_to_turn_on(connection, viewer().id, demand)
    return not lacks


def _lead_to_two_factor(demand: TwoFactorDemand) -> Response:
    if of_api() or from_script():
        raise NotAllowed(
            f"this site requires two-factor sign-in of {demand.label}",
            remedy="sign in with a browser and turn it on under Your account",
        )
    return go_to("two_factor.index")


def _enter_campaign(statement: Access) -> None:
    # The same error for a campaign that does not exist and for one without a role of the viewer.
    campaign: VisitedCampaign | None = g.get("visited")
    if campaign is None or not campaign.roles:
        raise NotFound("there is no such campaign", remedy="see the list of your campaigns")
    roles = campaign.roles
    if may_be_suspended(roles):
        with reading() as db:
            roles = effective_roles(db, campaign.id, viewer().id)
    g.campaign = Here(
        campaign.id, campaign.slug, campaign.name, campaign.illustrative, roles, campaign.archived_at
    )
    if not roles & statement.roles:
        if suspended := campaign.roles & statement.roles:
            names = " and ".join(sorted(suspended))
            raise NotAllowed(
                f"your role as {names} is suspended while you have documents to judge",
                remedy="judge what is assigned to you first",
            )
        raise NotAllowed(
            "your role in this campaign does not give access to this page",
            remedy=f"ask an organiser for one of the roles {', '.join(sorted(statement.roles))}",
        )
    # A judge's page waits for changes of the campaign, and not for colleagues who judge.
    g.judges = Role.ASSESSOR in statement.roles
    if campaign.archived_at is not None and not statement.in_archive:
        if request.method not in {"GET", "HEAD"}:
            raise Conflict(ARCHIVED, remedy=RESTORE)
        g.read_only = True


reader = member(Role.ORGANISER, Role.ADJUDICATOR, Role.VIEWER)
organiser = member(Role.ORGANISER)
participant = member(Role.PARTICIPANT)
