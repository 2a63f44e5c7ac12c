"""The statements of a campaign's pages: who reads them, who changes what they show, who sends runs."""

from __future__ import annotations

from workbench.web.access import member
from workbench.workflow.people.roles import Role

reader = member(Role.ORGANISER, Role.ADJUDICATOR, Role.VIEWER)
organiser = member(Role.ORGANISER)
participant = member(Role.PARTICIPANT)
