"""Documents that were rendered last, as JSON: most of them are shown to several assessors."""

from __future__ import annotations

import threading
from collections import OrderedDict

MOST_CHARACTERS = 32_000_000

Key = tuple[str, str | None]
"""A docno and the hash of what is shown, which all that is rendered depends on."""


class RenderedDocuments:
    """The JSON of the documents that were rendered last; several threads may ask."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._size = 0
        self._texts: OrderedDict[Key, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> str | None:
        """What was rendered, or None."""
        with self._lock:
            found = self._texts.get(key)
            if found is not None:
                self._texts.move_to_end(key)
            return found

    def put(self, key: Key, text: str) -> None:
        """Keep what was rendered, and let go of what was asked for longest ago."""
        with self._lock:
            self._size += len(text) - len(self._texts.pop(key, ""))
            self._texts[key] = text
            while self._size > self._most:
                self._size -= len(self._texts.popitem(last=False)[1])
