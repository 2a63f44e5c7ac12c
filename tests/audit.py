"""What is installed, asked of a service that knows of vulnerabilities: `python -m tests.audit`.

Every package that the program needs, with all that can be installed beside it, is looked up at its version,
and so are the scripts in `static/vendor`, by the protocol of OSV (https://google.github.io/osv.dev/api/),
which has the advisories of PyPI and npm. A known vulnerability that a newer version fixes fails the check,
unless `ACCEPTED` has it. One without a fix is told. The tools of the tests, and the pip that Python brings,
which no installation runs with, are not asked about.

A service says nothing of what it does not know. So it is asked about a version as well that is known to be
vulnerable: where no service answers, or it knows nothing of that one, nothing was audited, and the check says
so and does not fail.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from http.client import HTTPException
from importlib import metadata
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from tests.tree import ROOT
from workbench.counts import counted

ADDRESS = "https://api.osv.dev"
VARIABLE = "WORKBENCH_TEST_OSV"
"""Names another address with the same protocol, such as that of a mirror."""
SECONDS = 20.0
"""For everything; a shorter time for each request does not bound the resolution of a name."""
MOST_BYTES = 16 << 20
MOST_PAGES = 10
SOUND, VULNERABLE, NOT_DONE = 0, 1, 75
"""How the command ends; the last is EX_TEMPFAIL of sysexits.h."""
OF_TESTS = {"test", "contract", "forms", "citation", "provider", "bench"}
"""The extras that only whoever changes the program installs."""
PROGRAM = "ir-workbench"
VENDOR = ROOT / "static" / "vendor"
NPM = {"htmx": "htmx.org", "plot": "@observablehq/plot"}
SCRIPT = re.compile(r"([a-z0-9]+)-(\d+\.\d+\.\d+)\.min\.js")


@dataclass(frozen=True, slots=True)
class Component:
    """Something that is installed, as OSV calls it."""

    ecosystem: str
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class Vulnerability:
    """A known vulnerability of a component; `fixed` is the version that fixes it, empty if there is none."""

    component: Component
    names: tuple[str, ...]
    summary: str
    fixed: str

    def __str__(self) -> str:
        remedy = f"install {self.fixed} or newer" if self.fixed else "no version fixes it yet"
        return f"{self.component}: {', '.join(self.names)}: {self.summary}: {remedy}"


@dataclass(frozen=True, slots=True)
class Accepted:
    """A vulnerability that is lived with for a reason, until a day on which somebody looks again."""

    vulnerability: str
    component: str
    reason: str
    until: date


ACCEPTED: tuple[Accepted, ...] = ()
"""All exceptions. `vulnerability` is any of its names, such as CVE-2026-12345."""
KNOWN = Component("PyPI", "jinja2", "2.10")
"""Vulnerable since 2019: CVE-2019-10906."""


class NotAudited(Exception):
    """No service answered of which anything could be learned; the text says why."""


def installed() -> list[Component]:
    """The packages of this environment that the program needs, and the scripts that it carries."""
    extras = set(metadata.metadata(PROGRAM).get_all("Provides-Extra") or ()) - OF_TESTS
    packages = sorted(needed(PROGRAM, extras) - {PROGRAM})
    scripts = (SCRIPT.fullmatch(path.name) for path in sorted(VENDOR.iterdir()))
    return [
        *(Component("PyPI", name, metadata.version(name).partition("+")[0]) for name in packages),
        *(Component("npm", NPM.get(one[1], one[1]), one[2]) for one in scripts if one is not None),
    ]


def needed(name: str, extras: Iterable[str] = ()) -> set[str]:
    """An installed package with these extras, and all installed ones that it needs, directly or not."""
    found: set[str] = set()
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(canonicalize_name(name), frozenset(extras))]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        try:
            lines = metadata.requires(one[0]) or []
        except metadata.PackageNotFoundError:
            continue
        found.add(one[0])
        for requirement in map(Requirement, lines):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in one[1] | {""}):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def known_vulnerabilities(address: str, components: Sequence[Component]) -> list[Vulnerability]:
    """What the service at an address knows of components; raises NotAudited."""
    asked = [KNOWN, *components]
    of_known, *ids = _ids(address, asked)
    if not of_known:
        raise NotAudited(f"{address} knows nothing of {KNOWN}, which is vulnerable")
    found = []
    for component, each in zip(components, ids, strict=True):
        for one in each:
            record = _answer(address, f"/v1/vulns/{quote(one, safe='')}")
            if not record.get("withdrawn"):
                found.append(_vulnerability(component, one, record))
    return found


def verdict(
    found: Iterable[Vulnerability], accepted: Sequence[Accepted], today: date
) -> tuple[list[Vulnerability], list[str]]:
    """What is to be fixed now, and what is to be said of the rest."""
    broken, said, used = [], [], set()
    for one in found:
        mine = [each for each in accepted if _is_of(each, one)]
        used.update(mine)
        if any(today <= each.until for each in mine):
            said.append(f"accepted until {mine[0].until}: {one}: {mine[0].reason}")
        elif one.fixed:
            broken.append(one)
        else:
            said.append(str(one))
    said += [
        f"no longer found, remove it from ACCEPTED: {one.vulnerability}"
        for one in accepted
        if one not in used
    ]
    return broken, said


def audit(address: str, *, seconds: float = SECONDS, accepted: Sequence[Accepted] = ACCEPTED) -> int:
    """Look up what is installed, print what is known of it, and give one of the three endings."""
    components = installed()
    try:
        found = _within(seconds, address, components)
    except NotAudited as error:
        print(f"not audited: {error}")
        return NOT_DONE
    broken, said = verdict(found, accepted, datetime.now(UTC).date())
    for line in [*said, *map(str, broken)]:
        print(line)
    number = counted(len(broken), "known vulnerability", "known vulnerabilities")
    print(f"{counted(len(components), 'component')}, {number} that a newer version fixes")
    return VULNERABLE if broken else SOUND


def _within(seconds: float, address: str, components: Sequence[Component]) -> list[Vulnerability]:
    """What is known of components; raises NotAudited, also where it takes longer."""
    results: list[list[Vulnerability] | NotAudited] = []

    def ask() -> None:
        try:
            results.append(known_vulnerabilities(address, components))
        except NotAudited as error:
            results.append(error)
        except (AttributeError, LookupError, TypeError):
            results.append(NotAudited(f"{address} does not answer as OSV does"))

    # The resolution of a name cannot be given up; the process can end without it.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    if not results:
        raise NotAudited(f"{address} did not answer within {seconds:.0f} seconds")
    if isinstance(results[0], NotAudited):
        raise results[0]
    return results[0]


def _ids(address: str, components: Sequence[Component]) -> list[list[str]]:
    """The names of the known vulnerabilities of each component."""
    found: list[list[str]] = [[] for _ in components]
    pages: dict[int, str] = dict.fromkeys(range(len(components)), "")
    for _ in range(MOST_PAGES):
        queries = [_query(components[place], token) for place, token in pages.items()]
        results = _answer(address, "/v1/querybatch", {"queries": queries}).get("results")
        if not isinstance(results, list) or len(results) != len(queries):
            raise NotAudited(f"{address} does not answer every question")
        following = {}
        for place, result in zip(pages, results, strict=True):
            found[place] += [str(one["id"]) for one in (result or {}).get("vulns", ())]
            if token := (result or {}).get("next_page_token"):
                following[place] = str(token)
        pages = following
        if not pages:
            return found
    raise NotAudited(f"{address} has more than {MOST_PAGES} pages")


def _query(component: Component, token: str) -> dict[str, Any]:
    package = {"ecosystem": component.ecosystem, "name": component.name}
    page = {"page_token": token} if token else {}
    return {"package": package, "version": component.version, **page}


def _answer(address: str, path: str, sent: object = None) -> dict[str, Any]:
    """The JSON object at a path; what is sent is posted. Raises NotAudited."""
    body = json.dumps(sent).encode() if sent is not None else None
    request = Request(address.rstrip("/") + path, body, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=SECONDS) as answer:
            data = json.loads(answer.read(MOST_BYTES))
    except HTTPError as error:
        with error:
            raise NotAudited(f"{address} answers with status {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise NotAudited(f"{address}: {getattr(error, 'reason', None) or error}") from None
    if not isinstance(data, dict):
        raise NotAudited(f"{address} answers with no JSON object")
    return data


def _vulnerability(component: Component, name: str, record: dict[str, Any]) -> Vulnerability:
    summary = " ".join(str(record.get("summary") or record.get("details") or "").split())[:120]
    names = tuple(dict.fromkeys([name, *map(str, record.get("aliases", ()))]))
    return Vulnerability(component, names, summary or "no summary", _fixed(component, record))


def _fixed(component: Component, record: dict[str, Any]) -> str:
    """The lowest version above the installed one that has the fix."""
    events = [
        event
        for one in record.get("affected", ())
        if one.get("package", {}).get("name", "").lower() == component.name
        for each in one.get("ranges", ())
        if each.get("type") != "GIT"
        for event in each.get("events", ())
    ]
    fixes = [fix for event in events if (fix := _parsed(event.get("fixed")))]
    here = _parsed(component.version)
    above = [fix for fix in fixes if here is None or fix > here]
    return str(min(above)) if above else ""


def _parsed(text: object) -> Version | None:
    try:
        return Version(str(text)) if text else None
    except InvalidVersion:
        return None


def _is_of(accepted: Accepted, found: Vulnerability) -> bool:
    return accepted.vulnerability in found.names and accepted.component == found.component.name


if __name__ == "__main__":
    sys.exit(audit(os.environ.get(VARIABLE) or ADDRESS))
