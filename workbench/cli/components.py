"""`workbench components`: what this installation is made of."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from workbench import __version__
from workbench.cli.output import say_json, say_table
from workbench.deployment.components import bill_of_materials, installed_components
from workbench.settings import read_settings


@click.command("components")
@click.option("--json", "as_json", is_flag=True, help="A bill of materials in the form CycloneDX 1.6.")
def command(as_json: bool) -> None:
    """List the packages and scripts that this installation is made of, with versions and licences.

    Scanners for vulnerabilities read the bill of materials.
    """
    found = installed_components(read_settings().static)
    if as_json:
        say_json(bill_of_materials(found, __version__, datetime.now(UTC)))
        return
    say_table(
        ("component", "version", "registry", "licence"),
        [(one.name, one.version, one.registry, one.licence) for one in found],
    )
