"""Requests that a test holds back, loses or answers itself, on a page that stands already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Page, Route

_PROBE = "**/healthz"
_ASK = "fetch('/healthz').then((answer) => answer.status)"
_INTERCEPTED = 204  # the site itself answers 200


def intercept(
    target: Page | BrowserContext, url: str, handler: Callable[[Route], Any], *, times: int | None = None
) -> None:
    """Route such requests, from the next one that a page of the target makes.

    The browser confirms that requests are intercepted before a busy page knows of it. What the page asks
    in between passes unseen, neither held nor reported, and whoever waits for it waits in vain.
    """
    target.route(url, handler, times=times)
    for page in [target] if isinstance(target, Page) else target.pages:
        page.route(_PROBE, lambda route: route.fulfill(status=_INTERCEPTED))
        for _ in range(100):
            if page.evaluate(_ASK) == _INTERCEPTED:
                break
        else:
            raise AssertionError(f"the requests of {page.url} are not intercepted")
        page.unroute(_PROBE)
