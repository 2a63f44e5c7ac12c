"""The pages of the browser, by the tab under which a user finds them.

To add a page: write its views in the module of its tab, on a `Blueprint("<page>", __name__)` of its own with
`url_prefix="/c/<slug>/<page>"`. State on every view who may call it (`reader`, `organiser` and others of
`web/access.py`), and of one with figures of all judgments that a job makes it where a campaign is large
(`web/large_pages.py`). Put its templates into `templates/<tab>/`. Add the blueprint to `BLUEPRINTS` of its
module, or here where the module has one alone; a line to `navigation.PAGES` gives it a link, which only those
see who may open it. A page of `help/pages` names it under `opened-from`.
"""

from workbench.web.pages import (
    account,
    adjudication,
    administration,
    agreement,
    assignments,
    discussions,
    documents,
    entrance,
    groups,
    health,
    help,
    judging,
    judgments,
    openid,
    overview,
    participants,
    people,
    pools,
    qrels,
    releases,
    runs,
    scores,
    search,
    settings,
    setup,
    topics,
    trust,
    two_factor,
)

BLUEPRINTS = (
    *health.BLUEPRINTS,
    *help.BLUEPRINTS,
    *entrance.BLUEPRINTS,
    *openid.BLUEPRINTS,
    *account.BLUEPRINTS,
    *two_factor.BLUEPRINTS,
    *overview.BLUEPRINTS,
    *settings.BLUEPRINTS,
    setup.blueprint,
    topics.blueprint,
    *documents.BLUEPRINTS,
    *runs.BLUEPRINTS,
    groups.blueprint,
    *participants.BLUEPRINTS,
    *pools.BLUEPRINTS,
    *search.BLUEPRINTS,
    *assignments.BLUEPRINTS,
    *judgments.BLUEPRINTS,
    *agreement.BLUEPRINTS,
    *adjudication.BLUEPRINTS,
    discussions.blueprint,
    qrels.blueprint,
    *scores.BLUEPRINTS,
    *releases.BLUEPRINTS,
    trust.blueprint,
    people.blueprint,
    *administration.BLUEPRINTS,
    *judging.BLUEPRINTS,
)
