"""Python's search for garbage that refers to itself, held off where it costs more than it finds."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Have Python look for such garbage before or after, and not meanwhile.

    Among many records that all stay it takes a third of the time, and a tenth of a second where others wait
    for a lock.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Of several threads the last one need not be the one that found it on.
        if collecting:
            gc.enable()
