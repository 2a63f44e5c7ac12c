"""`workbench release check`: is every byte of a release as it was made?"""

from __future__ import annotations

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import REFUSED, say_findings, say_json, say_table
from workbench.errors import finding_to_json
from workbench.releases.check import ReleaseCheck, check_release


@click.command("check")
@click.argument("releases", metavar="FILE...", nargs=-1, required=True)
@click.option("--sha256", default="", help="SHA-256 of the whole file, as the release's page has it.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array with one object a release.")
def command(releases: tuple[str, ...], sha256: str, as_json: bool) -> None:
    """Check the zips of releases, byte by byte; `-` is standard input.

    A file that is damaged, missing or added is named on standard error, with the checksum stated and the one
    found. Whoever changed a file could change its checksum too: --sha256 compares the whole with what the
    release's page says. Of a release of another version of Workbench, which writes other texts and another
    program for ir_datasets, not all can be checked. The exit code is 1 if anything was found, otherwise 0.
    """
    if sha256 and len(releases) > 1:
        raise click.UsageError("--sha256 is of one file: give one")
    checked: list[tuple[str, ReleaseCheck]] = []
    for name in releases:
        with open_input(name) as (stream, source):
            checked.append((source, check_release(stream, source=source, sha256=sha256)))
    if as_json:
        say_json([_json(source, one) for source, one in checked])
    else:
        for _, one in checked:
            say_findings(one.findings)
        say_table(
            ["release", "version", "files", "result", "SHA-256"],
            [
                (
                    source,
                    one.contents.about.version if one.contents else "-",
                    one.members,
                    "whole" if one.whole else "damaged" if one.damaged else "of another version",
                    one.sha256,
                )
                for source, one in checked
            ],
            numeric=[2],
        )
    if any(not one.whole for _, one in checked):
        raise SystemExit(REFUSED)


def _json(source: str, one: ReleaseCheck) -> dict[str, object]:
    about = one.contents.about if one.contents else None
    return {
        "file": source,
        "whole": one.whole,
        "title": about.title if about else None,
        "version": about.version if about else None,
        "files": one.members,
        "sha256": one.sha256,
        "findings": [finding_to_json(finding) for finding in one.findings],
    }
