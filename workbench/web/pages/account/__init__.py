"""Account: name, mail address, password, sessions, access tokens, keys of the desk, how documents look."""

from workbench.web.pages.account import address, keys, profile, reading, tokens

BLUEPRINTS = (
    profile.blueprint,
    reading.blueprint,
    keys.blueprint,
    tokens.blueprint,
    address.blueprint,
)
