"""The tabs of a campaign: one table, of which each person sees the pages that open to them."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app, request, url_for

from workbench.web.access import Here, Who, here_or_none, statement_of, viewer
from workbench.web.context import reading
from workbench.workflow.adjudication.discussing import discussions
from workbench.workflow.people.roles import Role

PACKAGE = "workbench.web.pages."
DISCUSSIONS = "discussions.index"
# In the order of the work. A page that is not there (yet) is not shown; who sees it, its view says.
PAGES = (
    ("judging.index", "My topics"),
    (DISCUSSIONS, "To discuss"),
    ("own_runs.index", "My runs"),
    ("task.index", "The task"),
    ("overview.index", "Overview"),
    ("topics.index", "Topics"),
    ("documents.index", "Documents"),
    ("runs.index", "Runs"),
    ("groups.index", "Groups"),
    ("pools.index", "Pools"),
    ("assignments.index", "Assignments"),
    ("judgments.index", "Judgments"),
    ("agreement.index", "Agreement"),
    ("adjudication.index", "Adjudication"),
    ("consensus_preview.index", "Consensus"),
    ("qrels.index", "Qrels"),
    ("scores.index", "Scores"),
    ("people.index", "People"),
    ("settings.index", "Settings"),
)


@dataclass(frozen=True, slots=True)
class Tab:
    """One link of the navigation; `waiting` counts what somebody else asks of its viewer there."""

    label: str
    address: str
    current: bool
    waiting: int = 0


def tabs() -> tuple[Tab, ...]:
    """The tabs of this page's campaign for its viewer."""
    campaign = here_or_none()
    if campaign is None:
        return ()
    section = _section(request.blueprint)
    return tuple(
        Tab(
            label,
            url_for(endpoint, slug=campaign.slug),
            _section(_blueprint(endpoint)) == section,
            _to_discuss(campaign) if endpoint == DISCUSSIONS else 0,
        )
        for endpoint, label in PAGES
        if _opens(endpoint, campaign.roles)
    )


def first_page(slug: str, roles: frozenset[Role]) -> str | None:
    """Where a campaign begins for somebody in these roles: the organiser's overview, an assessor's topics."""
    order = sorted(PAGES, key=lambda page: page[0] != "overview.index")
    for endpoint, _ in order:
        if _opens(endpoint, roles):
            return url_for(endpoint, slug=slug)
    return None


def opens(endpoint: str) -> bool:
    """Whether a page of this campaign opens to its viewer."""
    campaign = here_or_none()
    return campaign is not None and _opens(endpoint, campaign.roles)


def exists(endpoint: str) -> bool:
    """Whether the application has such a page."""
    return endpoint in current_app.view_functions


def _opens(endpoint: str, roles: frozenset[Role]) -> bool:
    statement = statement_of(current_app, endpoint)
    return statement is not None and statement.who is Who.MEMBER and bool(statement.roles & roles)


def _to_discuss(campaign: Here) -> int:
    with reading() as db:
        return sum(not line.answered for line in discussions(db, campaign.id, viewer().id))


def _blueprint(endpoint: str) -> str:
    return endpoint.partition(".")[0]


def _section(blueprint: str | None) -> str | None:
    """The tab to which a page belongs: its package or module in `workbench.web.pages`."""
    if blueprint is None:
        return None
    return current_app.blueprints[blueprint].import_name.removeprefix(PACKAGE).partition(".")[0]
