"""The files of the forms of other programs, from the contents of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from workbench.errors import WorkbenchError
from workbench.releases.contents import ReleaseContents
from workbench.releases.forms.beir import beir_folder, citation_file
from workbench.releases.forms.croissant import croissant_metadata
from workbench.releases.forms.ir_datasets import ir_datasets_definition

LEFT_OUT = "FORMS-LEFT-OUT.txt"


def form_files(contents: ReleaseContents) -> dict[str, bytes]:
    """The files of every form by path; `FORMS-LEFT-OUT.txt` says which one is missing, and why."""
    files, left_out = published_forms(contents)
    if left_out:
        lines = (f"{name}: {reason}\n" for name, reason in left_out.items())
        files[LEFT_OUT] = "".join(lines).encode("utf-8", "backslashreplace")
    return files


FORMS: Mapping[str, Callable[[ReleaseContents], dict[str, bytes]]] = MappingProxyType(
    {
        "BEIR": beir_folder,
        "ir_datasets": ir_datasets_definition,
        "Croissant": croissant_metadata,
        "CITATION.cff": citation_file,
    }
)
"""The forms by the name of what reads them, each with the function that writes its files by path."""

_STANDS_ON = MappingProxyType({"ir_datasets": "BEIR", "Croissant": "BEIR"})


def published_forms(contents: ReleaseContents) -> tuple[dict[str, bytes], dict[str, str]]:
    """The release in every form that can hold it, by path, and by name why a form is left out."""
    files: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    for name, write in FORMS.items():
        try:
            if _STANDS_ON.get(name) in left_out:
                raise WorkbenchError(f"it reads the files of {_STANDS_ON[name]}, which is left out")
            files |= write(contents)
        except WorkbenchError as error:
            left_out[name] = str(error)
    return files, left_out
