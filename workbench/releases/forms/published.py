"""All forms of a release: the registry, and the files of every form that can hold the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from workbench.errors import WorkbenchError
from workbench.releases.forms.beir import beir_folder
from workbench.releases.forms.citation import citation_file
from workbench.releases.forms.croissant import croissant_metadata
from workbench.releases.forms.ir_datasets import ir_datasets_definition
from workbench.releases.forms.publication import Publication

FORMS: Mapping[str, Callable[[Publication], dict[str, bytes]]] = MappingProxyType(
    {
        "BEIR": beir_folder,
        "ir_datasets": ir_datasets_definition,
        "Croissant": croissant_metadata,
        "CITATION.cff": citation_file,
    }
)
"""The forms by the name of what reads them, each with the function that writes its files by path."""

_STANDS_ON = MappingProxyType({"ir_datasets": "BEIR", "Croissant": "BEIR"})


@dataclass(frozen=True, slots=True)
class PublishedForms:
    """The files of the forms by path, and why a form is left out, by its name."""

    files: Mapping[str, bytes]
    left_out: Mapping[str, str]


def published_forms(publication: Publication) -> PublishedForms:
    """The release in every form that can hold it; one whose readers would misread it is left out."""
    files: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    for name, write in FORMS.items():
        try:
            if _STANDS_ON.get(name) in left_out:
                raise WorkbenchError(f"it reads the files of {_STANDS_ON[name]}, which is left out")
            files |= write(publication)
        except WorkbenchError as error:
            left_out[name] = str(error)
    return PublishedForms(files, left_out)
