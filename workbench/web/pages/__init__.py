"""The pages of the browser, by the tab under which a user finds them.

To add a page: write `pages/<tab>/<page>.py` with `blueprint = Blueprint("<page>", __name__)`, state on every
view who may call it (`web/access.py`), put its templates into `templates/<tab>/`, and add the module to
`BLUEPRINTS` of its tab. To add a tab: add it here, and to `navigation.PAGES`.
"""

from workbench.web.pages import (
    account,
    adjudication,
    agreement,
    assignments,
    consensus,
    discussions,
    documents,
    entrance,
    groups,
    health,
    help,
    home,
    judging,
    judgments,
    my_runs,
    overview,
    people,
    pools,
    qrels,
    runs,
    scores,
    settings,
    setup,
    task,
    topics,
    trust,
)

BLUEPRINTS = (
    health.blueprint,
    help.blueprint,
    entrance.blueprint,
    *account.BLUEPRINTS,
    home.blueprint,
    *overview.BLUEPRINTS,
    *settings.BLUEPRINTS,
    setup.blueprint,
    topics.blueprint,
    documents.blueprint,
    *runs.BLUEPRINTS,
    groups.blueprint,
    *my_runs.BLUEPRINTS,
    task.blueprint,
    *pools.BLUEPRINTS,
    *assignments.BLUEPRINTS,
    *judgments.BLUEPRINTS,
    *agreement.BLUEPRINTS,
    *consensus.BLUEPRINTS,
    *adjudication.BLUEPRINTS,
    discussions.blueprint,
    *qrels.BLUEPRINTS,
    *scores.BLUEPRINTS,
    trust.blueprint,
    people.blueprint,
    *judging.BLUEPRINTS,
)
