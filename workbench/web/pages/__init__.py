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
    api_reference,
    assignments,
    consensus,
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
    lost_passwords,
    mail,
    metrics,
    my_runs,
    openid,
    overview,
    people,
    pools,
    qrels,
    releases,
    runs,
    scores,
    search,
    settings,
    setup,
    sign_in_codes,
    status,
    task,
    topics,
    trail,
    trust,
)

BLUEPRINTS = (
    health.blueprint,
    metrics.blueprint,
    help.blueprint,
    api_reference.blueprint,
    entrance.blueprint,
    sign_in_codes.blueprint,
    lost_passwords.blueprint,
    openid.blueprint,
    *account.BLUEPRINTS,
    home.blueprint,
    *overview.BLUEPRINTS,
    *settings.BLUEPRINTS,
    setup.blueprint,
    *topics.BLUEPRINTS,
    *documents.BLUEPRINTS,
    files.blueprint,
    *runs.BLUEPRINTS,
    groups.blueprint,
    *my_runs.BLUEPRINTS,
    task.blueprint,
    *pools.BLUEPRINTS,
    *search.BLUEPRINTS,
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
    status.blueprint,
    mail.blueprint,
    *judging.BLUEPRINTS,
)

COMPUTING = frozenset(
    one.name
    for one in (*consensus.BLUEPRINTS, *scores.BLUEPRINTS, trust.blueprint, adjudication.influence.blueprint)
)
"""Pages that may compute for seconds: a process that saves judgments answers none of them."""
