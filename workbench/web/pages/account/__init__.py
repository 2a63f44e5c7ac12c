"""Account: name, ways to sign in, mail address, sessions, tokens, keys and documents of the desk."""

from workbench.web.pages.account import address, keys, openid_link, profile, reading, tokens, two_factor

BLUEPRINTS = (
    profile.blueprint,
    reading.blueprint,
    keys.blueprint,
    tokens.blueprint,
    address.blueprint,
    two_factor.blueprint,
    openid_link.blueprint,
)
