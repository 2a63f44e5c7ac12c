"""The two statements of a campaign's pages: who reads them, and who changes what they show."""

from __future__ import annotations

from workbench.web.access import member
from workbench.workflow.roles import Role

reader = member(Role.ORGANISER, Role.ADJUDICATOR, Role.VIEWER)
organiser = member(Role.ORGANISER)
