"""What an installation is made of: listed, and as a bill of materials that CycloneDX's own schema accepts."""

from __future__ import annotations

import hashlib
import json
from importlib import metadata

import pytest
from click.testing import CliRunner

from tests.tree import ROOT
from workbench.cli.main import workbench


def bill() -> dict[str, object]:
    made = CliRunner().invoke(workbench, ["components", "--json"])
    assert made.exit_code == 0, made.output
    found: dict[str, object] = json.loads(made.output)
    return found


def test_every_package_and_script_is_in_the_bill_by_the_name_of_its_registry() -> None:
    found = bill()
    components = found["components"]
    assert isinstance(components, list)
    by_purl = {one["purl"]: one for one in components}
    assert len(by_purl) == len(components)
    # PEP 503: a package URL has the normalised name.
    assert f"pkg:pypi/typing-extensions@{metadata.version('typing_extensions')}" in by_purl
    flask = by_purl[f"pkg:pypi/flask@{metadata.version('flask')}"]
    assert flask["licenses"] == [{"expression": "BSD-3-Clause"}]
    assert not any(one["name"] == "ir-workbench" for one in components)
    plot = by_purl["pkg:npm/%40observablehq/plot@0.6.17"]
    content = (ROOT / "static/vendor/plot-0.6.17.min.js").read_bytes()
    assert plot["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}]
    scripts = sorted(one["name"] for one in components if one["purl"].startswith("pkg:npm/"))
    assert scripts == ["@observablehq/plot", "d3", "htmx.org"]


def test_the_list_says_versions_and_licences() -> None:
    listed = CliRunner().invoke(workbench, ["components"]).output.splitlines()
    assert listed[0].split("\t") == ["component", "version", "registry", "licence"]
    assert ["flask", metadata.version("flask"), "pypi", "BSD-3-Clause"] in [one.split("\t") for one in listed]


@pytest.mark.slow
def test_the_bill_is_one_by_the_schema_of_cyclonedx() -> None:
    cyclonedx = pytest.importorskip("cyclonedx.validation.json", reason="needs the extra `contract`")
    schema = pytest.importorskip("cyclonedx.schema")
    validator = cyclonedx.JsonStrictValidator(schema.SchemaVersion.V1_6)
    made = bill()
    assert validator.validate_str(json.dumps(made)) is None
    # It is a validator that can refuse.
    assert validator.validate_str(json.dumps(made | {"version": 0})) is not None
