"""The pages: one module a blueprint, its templates in the folder of its name.

One more: write `pages/<name>.py` with `blueprint = Blueprint("<name>", __name__)`, say on every view who may
call it, put its templates into `templates/<name>/`, add it here, and to `navigation.PAGES` if it has a tab.
"""

from workbench.web.pages import (
    account,
    agreement,
    assignments,
    campaigns,
    documents,
    entrance,
    health,
    judging,
    judgments,
    late_runs,
    overview,
    people,
    plan,
    pools,
    qrels,
    runs,
    scores,
    settings,
    topics,
)

BLUEPRINTS = (
    health.blueprint,
    entrance.blueprint,
    account.blueprint,
    campaigns.blueprint,
    overview.blueprint,
    settings.blueprint,
    topics.blueprint,
    documents.blueprint,
    runs.blueprint,
    late_runs.blueprint,
    plan.blueprint,
    pools.blueprint,
    assignments.blueprint,
    judgments.blueprint,
    agreement.blueprint,
    qrels.blueprint,
    scores.blueprint,
    people.blueprint,
    judging.blueprint,
)
