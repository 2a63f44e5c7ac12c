"""Somebody who is signed in to a program in the web, as a browser would be, for the benchmarks of rivals."""

from __future__ import annotations

import http.cookiejar
import json
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlencode


class Person:
    """Somebody who is signed in: cookies, as their browser has them."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))

    @property
    def head(self) -> str:
        """The lines of a request's header that say who asks."""
        cookies = {one.name: one.value for one in self._cookies}
        sent = "; ".join(f"{name}={value}" for name, value in cookies.items())
        lines = {"Host": self._address.removeprefix("http://"), "Cookie": sent, "Accept": "application/json"}
        lines["X-CSRFToken"] = str(cookies.get("csrftoken", ""))
        return "".join(f"{name}: {value}\r\n" for name, value in lines.items())

    def ask(self, path: str, sent: Any = None, *, form: bool = False) -> Any:
        """The JSON that answers, None where it is none; raises RuntimeError for a refusal."""
        headers = {"Accept": "application/json, text/html", "Referer": self._address}
        token = [str(one.value) for one in self._cookies if one.name == "csrftoken"]
        headers |= {"X-CSRFToken": token[0]} if token else {}
        body = None
        if form:
            body = urlencode(sent | {"csrfmiddlewaretoken": token[0]}).encode()
        elif sent is not None:
            body, headers["Content-Type"] = json.dumps(sent).encode(), "application/json"
        asked = urllib.request.Request(self._address + path, body, headers)
        try:
            with self._opener.open(asked, timeout=120) as answer:
                content = answer.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.code} {error.read()[:500]!r}") from None
        try:
            return json.loads(content)
        except ValueError:
            return None
