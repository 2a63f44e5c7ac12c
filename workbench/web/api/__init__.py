"""The API: every resource of a campaign as JSON, for programs with an access token.

To add an operation: write a view in the module of its resource, state who may call it (`web/access.py`) and
below that its `operation`: what it takes and returns. The OpenAPI document and the documentation page follow
from both, and the tests walk over it. To add a resource: add its blueprint to `RESOURCES`.

Decisions:

- A view parses, calls the same use-case as the page, and returns what that gives as JSON. The form of it (a
  TypedDict) stands beside what fills it in.
- Only a token opens it, never a cookie, so that no page of another site can use it.
- What is sent must be as it is documented: unknown fields and parameters are errors, since a misspelt one
  would be lost in silence.
- A body is read by the server before it takes a thread, as for pages, and a file is then read as a stream.
"""

from flask import Blueprint

from workbench.web.api import (
    campaigns,
    collection,
    judging,
    openapi,
    pools,
    releases,
    results,
    runs,
)

RESOURCES = (
    openapi.blueprint,
    campaigns.campaigns,
    collection.topics,
    collection.documents,
    runs.blueprint,
    pools.plans,
    pools.pools,
    pools.pool_queues,
    campaigns.people,
    judging.assignments,
    judging.judging,
    judging.judgments,
    collection.searches,
    results.agreement_blueprint,
    results.disputes,
    results.qrels_blueprint,
    results.scores_blueprint,
    releases.blueprint,
)

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")
for _resource in RESOURCES:
    blueprint.register_blueprint(_resource)
