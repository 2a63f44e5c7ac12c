"""The API keeps to its own description: schemathesis makes requests from it, right and wrong ones.

Of each operation some examples; the server must answer what is documented, and never fail. It needs the extra
`contract`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from tests.api import API, token_of
from tests.cast import Cast
from tests.searches import stored_search
from tests.support import examples
from workbench.records import Answer
from workbench.storage.engine import Database
from workbench.workflow.judging.record import record
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import Role, add_role
from workbench.workflow.searching.searches import Searcher

pytestmark = pytest.mark.slow
MOST = examples(15)
KNOWN = {
    "slug": "harbour", "tag": "alpha", "pool": "depth 2", "login": "vera", "role": "viewer",
    "number": 1, "search_id": 1,
}  # fmt: skip
"""So that requests get past the question whether there is such a thing."""


@pytest.fixture
def token(sqlite_database: Database, cast: Cast) -> str:
    """Olga, who has searched and may do everything in a campaign in which somebody has judged."""
    with sqlite_database.writing() as db:
        add_role(db, cast.campaign_id, cast.accounts["Olga"].id, Role.ADJUDICATOR)
        for name, grade in (("Ada", 1), ("Ben", 3)):
            said = Submission("d1", f"answer-of-{name}", answer=Answer.GRADE, grade=grade)
            record(db, cast.assignments[name, "T1"], cast.accounts[name].id, said)
        olga = cast.accounts["Olga"].id
        stored_search(db, Searcher(cast.campaign_id, "T1", olga), ["d1", "d2"])
    return token_of(sqlite_database, cast.accounts["Olga"])


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_nothing_is_answered_that_is_not_documented(own_app: Flask, token: str, mode: str) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs the extra `contract`")
    checks = pytest.importorskip("schemathesis.specs.openapi.checks")
    schema = schemathesis.openapi.from_wsgi(f"{API}/openapi.json", own_app)
    # The token goes with every request: one that is left out is no finding. `test_api` has what then happens.
    schema.raw_schema.pop("security")
    # A text past its length may make the whole body too large, which is read first.
    schema.config.checks.negative_data_rejection.expected_statuses = [
        *schema.config.checks.negative_data_rejection.expected_statuses,
        "413",
    ]
    # A server says 500 and goes on, where a test would raise.
    own_app.testing = False
    asked = 0
    kind = schemathesis.GenerationMode(mode)
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=MOST,
            deadline=None,
            derandomize=True,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=kind))
        def fits(case: Any) -> None:
            nonlocal asked
            if any(value in ([], {}, None) for value in (case.query or {}).values()):
                # Nothing is sent of it, which is no error.
                return
            asked += 1
            if mode == "positive":
                case.path_parameters |= {
                    name: value for name, value in KNOWN.items() if name in case.path_parameters
                }
            # A text that is well formed may still name nothing, such as a topic: that is no finding.
            case.call_and_validate(
                headers={"Authorization": f"Bearer {token}"},
                excluded_checks=[checks.positive_data_acceptance],
            )

        with suppress(Unsatisfiable):
            # There is nothing about it that could be wrong: it takes nothing.
            fits()
    assert asked > 300
