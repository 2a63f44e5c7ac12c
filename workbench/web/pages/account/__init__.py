"""Account: name, password, sessions, access tokens, the keys of the desk, how documents look."""

from workbench.web.pages.account import keys, profile, reading, tokens

BLUEPRINTS = (
    profile.blueprint,
    reading.blueprint,
    keys.blueprint,
    tokens.blueprint,
)
