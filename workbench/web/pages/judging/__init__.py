"""My topics: what an assessor has to judge, the judging desk and its API, side by side."""

from workbench.web.pages.judging import desk_api, my_topics, own_additions, reading, search, side_by_side

BLUEPRINTS = (
    my_topics.blueprint,
    desk_api.blueprint,
    reading.blueprint,
    own_additions.blueprint,
    search.blueprint,
    side_by_side.blueprint,
)
