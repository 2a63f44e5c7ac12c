"""Lists of runs on the command line: the group of each, and which of them were pooled."""

from __future__ import annotations

from workbench.cli.inputs import open_input
from workbench.errors import Finding, InvalidInput


def read_groups(name: str) -> dict[str, str]:
    """Groups of runs by tag, from lines of tag, tab and group; raises InvalidInput with every finding."""
    groups: dict[str, str] = {}
    findings: list[Finding] = []
    with open_input(name) as (stream, source):
        for number, line in enumerate(stream, start=1):
            text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            tag, tab, group = text.partition("\t")
            if tab and tag and group.strip() and "\t" not in group:
                groups[tag] = group.strip()
            elif text.strip():
                findings.append(
                    Finding(
                        source, number, "columns", "expected a tag, a tab and a group", "correct the line"
                    )
                )
    if findings:
        raise InvalidInput(findings)
    return groups


def read_tags(name: str) -> tuple[str, ...]:
    """The tags in a file, one a line, each once; empty lines hold none."""
    with open_input(name) as (stream, _):
        lines = [line.decode("utf-8", "surrogateescape").strip() for line in stream]
    return tuple(dict.fromkeys(line for line in lines if line))
