"""Components: what this installation is made of, as a bill of materials that other programs read.

Packages are all that the Python of the program can import, since any of them could be loaded; scripts are
those that it sends to browsers. The form is CycloneDX 1.6 (ECMA-424), which scanners read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

PROGRAM = "ir-workbench"
LONGEST_LICENCE = 80
"""In characters: some packages have its whole text where its name belongs."""
_NPM = {"htmx": "htmx.org", "plot": "@observablehq/plot"}
_SCRIPT = re.compile(r"([a-z0-9]+)-(\d+\.\d+\.\d+)\.min\.js")
_CLASSIFIER = "License :: "


@dataclass(frozen=True, slots=True, order=True)
class InstalledComponent:
    """A package of Python (`pypi`) or a script (`npm`), by the name that its registry has for it.

    `licence` is an SPDX expression if `spdx` says so, otherwise as its authors write it, or empty. A script
    has the SHA-256 of its file.
    """

    registry: str
    name: str
    version: str
    licence: str = ""
    spdx: bool = False
    sha256: str = ""

    @property
    def purl(self) -> str:
        """Its package URL (ECMA-427)."""
        return f"pkg:{self.registry}/{quote(self.name)}@{quote(self.version)}"


def installed_components(static: Path) -> tuple[InstalledComponent, ...]:
    """The packages of this Python without the program, and the scripts in the folder of static files."""
    packages = {_package(each) for each in metadata.distributions()}
    carried = ((path, _SCRIPT.fullmatch(path.name)) for path in (static / "vendor").iterdir())
    scripts = {_script(path, *named.groups()) for path, named in carried if named is not None}
    return tuple(sorted({one for one in packages if one.name != PROGRAM} | scripts))


def bill_of_materials(
    components: Iterable[InstalledComponent], version: str, now: datetime
) -> dict[str, Any]:
    """The bill of a version of the program as CycloneDX 1.6 writes it in JSON."""
    program = InstalledComponent("pypi", PROGRAM, version, "MIT", spdx=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": now.isoformat(timespec="seconds"),
            "component": _entry(program, "application"),
        },
        "components": [_entry(one, "library") for one in components],
    }


def _package(found: metadata.Distribution) -> InstalledComponent:
    about = found.metadata
    name = re.sub(r"[-_.]+", "-", about["Name"]).lower()
    expression, written = _field(about, "License-Expression"), _field(about, "License")
    if expression:
        return InstalledComponent("pypi", name, found.version, expression, spdx=True)
    if not written or len(written) > LONGEST_LICENCE or "\n" in written:
        named = [one for one in about.get_all("Classifier") or [] if one.startswith(_CLASSIFIER)]
        written = named[0].rpartition(" :: ")[2] if named else ""
    return InstalledComponent("pypi", name, found.version, written)


def _field(about: metadata.PackageMetadata, name: str) -> str:
    return about[name] if name in about else ""  # noqa: SIM401 - its type has no `get`


def _script(path: Path, name: str, version: str) -> InstalledComponent:
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return InstalledComponent("npm", _NPM.get(name, name), version, sha256=sha256)


def _entry(one: InstalledComponent, kind: str) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": kind,
        "bom-ref": one.purl,
        "name": one.name,
        "version": one.version,
        "purl": one.purl,
    }
    if one.licence:
        licence = {"expression": one.licence} if one.spdx else {"license": {"name": one.licence}}
        entry["licenses"] = [licence]
    if one.sha256:
        entry["hashes"] = [{"alg": "SHA-256", "content": one.sha256}]
    return entry
