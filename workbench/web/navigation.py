"""The navigation of a campaign, and the steps of setting one up, each with the page where it is done.

It is one table, of which each person sees the pages that open to them.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask import current_app, request, url_for

from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.web import notices
from workbench.web.access import Here, Who, access_of, here, here_or_none, viewer
from workbench.web.context import read_here, reading
from workbench.web.requests import Values
from workbench.workflow.adjudication.discussions import discussions
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import dispute_counts
from workbench.workflow.overview.readiness import SetupStep, readiness
from workbench.workflow.people.membership import Role

PACKAGE = "workbench.web.pages."
DISCUSSIONS = "discussions.index"
OVERVIEW = "overview.index"
ADJUDICATION = "adjudication.index"
# (Phase, endpoint, label) by what an organiser does, in the order of a campaign; one's own work has no
# phase. Who sees a page, its view states.
OWN_WORK = ""
PAGES = (
    (OWN_WORK, "judging.index", "My topics"),
    (OWN_WORK, DISCUSSIONS, "To discuss"),
    (OWN_WORK, "own_runs.index", "My runs"),
    (OWN_WORK, "task.index", "The task"),
    ("Overview", OVERVIEW, "Overview"),
    ("Collect", "topics.index", "Topics"),
    ("Collect", "documents.index", "Documents"),
    ("Collect", "runs.index", "Runs"),
    ("Collect", "groups.index", "Groups"),
    ("Collect", "setup.index", "Set up"),
    ("Judge", "pools.index", "Pools"),
    ("Judge", "search.index", "Search"),
    ("Judge", "assignments.index", "Assignments"),
    ("Judge", "judgments.index", "Judgments"),
    ("Quality", "agreement.index", "Agreement"),
    ("Quality", "adjudication.index", "Adjudication"),
    ("Quality", "trust.index", "Trust"),
    ("Results", "qrels.index", "Qrels"),
    ("Results", "scores.index", "Scores"),
    ("Results", "releases.index", "Releases"),
    ("Campaign", "people.index", "People"),
    ("Campaign", "settings.index", "Settings"),
)
MOST_IN_ONE_ROW = 7


@frozen_dataclass
class Tab:
    """One link of the navigation; `waiting` counts what somebody else asks of its viewer there."""

    label: str
    address: str
    current: bool
    waiting: int = 0


@frozen_dataclass
class Phase:
    """The tabs of one phase; it leads to the first of them."""

    label: str
    tabs: tuple[Tab, ...]

    @property
    def current(self) -> bool:
        """Whether the page is one of this phase."""
        return any(tab.current for tab in self.tabs)


@frozen_dataclass
class Navigation:
    """The pages of a campaign that open to its viewer: own work, then phases."""

    own: tuple[Tab, ...]
    phases: tuple[Phase, ...]

    @property
    def in_one_row(self) -> tuple[Tab, ...]:
        """All tabs, where there are so few that phases would only be in the way; else nothing."""
        every = self.own + tuple(tab for phase in self.phases for tab in phase.tabs)
        return every if len(every) <= MOST_IN_ONE_ROW else ()

    @property
    def current(self) -> Phase | None:
        """The phase of the page, where the page is in one."""
        return next((phase for phase in self.phases if phase.current), None)


def navigation() -> Navigation:
    """The navigation of this page's campaign for its viewer."""
    campaign = here_or_none()
    if campaign is None:
        return Navigation((), ())
    section = _section(request.blueprint)
    found: dict[str, list[Tab]] = {}
    for phase, endpoint, label in PAGES:
        if _opens(endpoint, campaign.roles):
            found.setdefault(phase, []).append(
                Tab(
                    label,
                    url_for(endpoint, slug=campaign.slug),
                    _section(endpoint.partition(".")[0]) == section,
                    _to_discuss(campaign) if endpoint == DISCUSSIONS else 0,
                )
            )
    own = tuple(found.pop(OWN_WORK, ()))
    return Navigation(own, tuple(Phase(label, tuple(tabs)) for label, tabs in found.items()))


def first_page(slug: str, roles: frozenset[Role]) -> str | None:
    """Where a campaign begins for somebody in these roles: where their next task is.

    That is the overview for organisers and viewers, the disputed pairs for adjudicators, one's own topics or
    runs for everybody else.
    """
    begin = ADJUDICATION if Role.ADJUDICATOR in roles and Role.ORGANISER not in roles else OVERVIEW
    for _, endpoint, _ in sorted(PAGES, key=lambda page: page[1] != begin):
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
    statement = access_of(current_app, endpoint)
    return statement is not None and statement.who is Who.MEMBER and bool(statement.roles & roles)


def _to_discuss(campaign: Here) -> int:
    with reading() as db:
        return sum(line.waiting for line in discussions(db, campaign.id, viewer().id))


def _section(blueprint: str | None) -> str | None:
    """The tab to which a page belongs: its package or module in `workbench.web.pages`."""
    if blueprint is None:
        return None
    return current_app.blueprints[blueprint].import_name.removeprefix(PACKAGE).partition(".")[0]


STEPS: Mapping[SetupStep, tuple[str, str]] = {
    SetupStep.TOPICS: ("Load topics", "setup.index"),
    SetupStep.RUNS: ("Add runs", "setup.index"),
    SetupStep.ACCEPT: ("Review runs", "runs.index"),
    SetupStep.POOL: ("Make a pool", "pools.index"),
    SetupStep.OPEN: ("Open the pool", "pool_states.confirm_opening"),
    SetupStep.DOCUMENTS: ("Load documents", "documents.index"),
    SetupStep.ASSESSORS: ("Invite assessors", "people.index"),
    SetupStep.ASSIGN: ("Assign topics", "assignments.index"),
    SetupStep.GUIDELINES: ("Write guidelines", "settings.index"),
    SetupStep.JUDGE: ("Overview", "overview.index"),
}
"""What to do in each step, and the endpoint of its page."""


def step_way(step: SetupStep, draft: int | None, slug: str | None = None) -> tuple[str, str]:
    """A step as a link, its label and its address; `draft` is the pool to open, `slug` another campaign's."""
    label, endpoint = STEPS[step]
    values: Values = {"pool_id": draft} if step is SetupStep.OPEN else {}
    if slug is not None:
        values["slug"] = slug
    return label, url_for(endpoint, **values)


def next_way() -> tuple[str, str]:
    """What comes next in this campaign, as a link."""
    state = read_here(readiness)
    return step_way(state.next, state.draft)


def disputes_way() -> tuple[str, str] | None:
    """The disputed pairs that wait for whoever may decide them, as a link; None where none do."""
    if here().archived_at is not None or here().roles.isdisjoint({Role.ORGANISER, Role.ADJUDICATOR}):
        return None
    undecided = read_here(dispute_counts).get(State.OPEN, 0)
    if not undecided:
        return None
    return f"Decide {counted(undecided, 'disputed pair')}", url_for("adjudicating.desk")


def announce_step(text: str) -> None:
    """Tell on the next page that something is done, with what comes next in this campaign."""
    notices.add(text, then=next_way())
