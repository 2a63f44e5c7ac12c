"""A definition for ir_datasets: a Python file that registers the release, in its folder or in the zip.

The file is `definition_template.py` with the facts of the release in it. Python imports it from a zip as
well, and it reads the other files where it lies itself.
"""

from __future__ import annotations

from importlib.resources import files

from workbench.records import Grade
from workbench.releases.contents import Included, ReleaseContents
from workbench.releases.forms.publication import check_text_ids

DEFINITION_FILE = "ir_datasets_definition.py"

_BEGIN = "# What follows is filled in for each release.\n"
_END = "# End of what is filled in.\n\n"


def ir_datasets_definition(contents: ReleaseContents) -> dict[str, bytes]:
    """The definition, which registers `<slug>/<version>`; raises WorkbenchError for ids that are no UTF-8."""
    check_text_ids(contents)
    template = files(__package__).joinpath("definition_template.py").read_text(encoding="utf-8")
    head, _, rest = template.partition(_BEGIN)
    _, _, tail = rest.partition(_END)
    grades = "".join(f"    {one.value}: {_literal(_meaning(one))},\n" for one in contents.scale.grades)
    facts = (
        f"DATASET_ID = {_literal(f'{contents.about.name}/{contents.about.version}')}\n"
        f"GRADES: dict[int, str] = {{\n{grades}}}\n"
        f"HAS_DOCUMENTS = {Included.DOCUMENTS in contents.included}\n\n"
    )
    head = head.replace("  # type: ignore[misc]", "")
    for note in ("misc", "no-any-return"):
        tail = tail.replace(f"  # type: ignore[{note}]", "")
    return {DEFINITION_FILE: (head + facts + tail).encode()}


def _meaning(grade: Grade) -> str:
    return f"{grade.label}: {grade.definition}" if grade.definition else grade.label


def _literal(text: str) -> str:
    """A literal of Python, in ASCII: nothing in a label can end it."""
    return ascii(text)
