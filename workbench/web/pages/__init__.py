"""The pages of the browser, by the tab under which a user finds them.

To add a page: write `pages/<tab>/<page>.py` with `blueprint = Blueprint("<page>", __name__)`, state on every
view who may call it (`web/access.py`), put its templates into `templates/<tab>/`, and add the module to
`BLUEPRINTS` of its tab. To add a tab: add it here, and to `navigation.PAGES`.
"""

from workbench.web.pages import (
    account,
    accounts,
    adjudication,
    agreement,
    assignments,
    consensus,
    dataset,
    discussions,
    documents,
    entrance,
    files,
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
    releases,
    runs,
    scores,
    settings,
    setup,
    task,
    topics,
    trail,
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
    files.blueprint,
    dataset.blueprint,
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
    *releases.BLUEPRINTS,
    trust.blueprint,
    people.blueprint,
    accounts.blueprint,
    trail.blueprint,
    *judging.BLUEPRINTS,
)

COMPUTING = frozenset(one.name for one in (*consensus.BLUEPRINTS, *scores.BLUEPRINTS, trust.blueprint))
"""Pages that may compute for seconds: a process that saves judgments answers none of them."""
