"""Account: name, password, sessions, the keys of the desk, how documents look."""

from workbench.web.pages.account import keys, profile, reading

BLUEPRINTS = (
    profile.blueprint,
    reading.blueprint,
    keys.blueprint,
)
