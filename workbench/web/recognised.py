"""Tokens of sessions that were found valid lately: whose requests get the places of those who are signed in.

They open nothing: every view still asks the database who is signed in.
"""

from __future__ import annotations

import time
from collections.abc import Callable

LASTS_SECONDS = 600
MOST = 20_000


class RecognisedTokens:
    """A bounded memory of valid tokens, which any thread may use."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def __contains__(self, token: str) -> bool:
        """Whether the token was found valid in the last ten minutes."""
        return self._until.get(token, 0) > self._clock()

    def add(self, token: str) -> None:
        """Remember a token that was just found valid."""
        self._until.pop(token, None)
        self._until[token] = self._clock() + LASTS_SECONDS
        if len(self._until) > MOST:
            # The oldest come first.
            for old in list(self._until)[: MOST // 10]:
                self._until.pop(old, None)

    def forget(self, token: str) -> None:
        """Forget a token whose session has ended."""
        self._until.pop(token, None)
