"""Why a sign-in at the provider does not succeed, and what to do about it, in plain words."""

from __future__ import annotations

from enum import StrEnum

from workbench.errors import WorkbenchError
from workbench.workflow.people.signing_in import wait_in_words

LEEWAY_SECONDS = 60
"""By which the provider's clock may differ from this one."""


class SignInObstacle(StrEnum):
    """What stands between a person at the provider and an account here."""

    AWAY = "provider-away"
    BUSY = "provider-busy"
    SET_UP = "provider-settings"
    REJECTED = "code-rejected"
    CLOCK = "clock"
    KEY = "unknown-key"
    TOKEN = "invalid-token"  # noqa: S105 - a code of a finding
    DENIED = "denied"
    LAPSED = "lapsed"
    NOT_LINKED = "not-linked"
    DISABLED = "account-disabled"
    LINKED_ELSEWHERE = "linked-elsewhere"
    LINKED_ALREADY = "linked-already"
    THROTTLED = "throttled"
    NO_SIGN_OUT = "no-sign-out"


_TELL = "ask the administrator of this site, and mention the code {code}"
# (message, remedy) of each; {name} is the provider.
_EXPLAINED = {
    SignInObstacle.AWAY: (
        "{name} does not answer",
        "try again in a minute; if you have a password here, you can sign in with it",
    ),
    SignInObstacle.BUSY: ("many people are signing in with {name} right now", "try again in a few seconds"),
    SignInObstacle.SET_UP: ("sign-in with {name} is not set up correctly", _TELL),
    SignInObstacle.REJECTED: (
        "{name} did not confirm your sign-in",
        "start again from the sign-in page; if it happens again, " + _TELL,
    ),
    SignInObstacle.CLOCK: ("the clocks of {name} and of this server differ", _TELL),
    SignInObstacle.KEY: ("the answer of {name} is signed with a key that it does not publish", _TELL),
    SignInObstacle.TOKEN: ("the answer of {name} is not valid for this site", _TELL),
    SignInObstacle.DENIED: (
        "the sign-in was cancelled at {name}, or your account there may not use this site",
        "start again, or ask whoever manages your account at {name}",
    ),
    SignInObstacle.LAPSED: (
        "this sign-in took too long, was started in another browser or tab, or is complete already",
        "start again from the sign-in page",
    ),
    SignInObstacle.NOT_LINKED: (
        "no account on this site is linked with your account at {name}",
        "if you have an account here, sign in with its password and link the two under Your account; "
        "if you have an invitation link, open it and join with {name}; otherwise ask the organiser of your "
        "campaign for an invitation",
    ),
    SignInObstacle.DISABLED: ("your account on this site is disabled", "ask an administrator of this site"),
    SignInObstacle.LINKED_ELSEWHERE: (
        "your account at {name} is linked with another account on this site",
        "sign in to that one and unlink it first, or use another account at {name}",
    ),
    SignInObstacle.LINKED_ALREADY: (
        "your account on this site is linked with another account at {name}",
        "unlink that one first",
    ),
    SignInObstacle.THROTTLED: ("too many sign-ins with {name} failed here", "try again in {wait}"),
    SignInObstacle.NO_SIGN_OUT: ("{name} has no page for signing out", "sign out at {name} itself"),
}


class NotSignedIn(WorkbenchError):
    """A sign-in at the provider that failed; `cause` is for the log and never has a secret.

    `seconds` is how long further ones are refused, where they are.
    """

    def __init__(self, obstacle: SignInObstacle, name: str, cause: str = "", seconds: int = 0) -> None:
        shown = {"name": name, "code": obstacle, "wait": wait_in_words(seconds)}
        message, remedy = (text.format(**shown) for text in _EXPLAINED[obstacle])
        super().__init__(message, remedy=remedy)
        self.obstacle = obstacle
        self.cause = cause
        self.seconds = seconds
