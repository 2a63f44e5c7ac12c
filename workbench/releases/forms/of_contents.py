"""The files of the forms of other programs, from the contents of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from workbench.errors import WorkbenchError
from workbench.records import Document
from workbench.releases.contents import Included, ReleaseContents
from workbench.releases.forms.beir import beir_folder, citation_file
from workbench.releases.forms.croissant import croissant_metadata
from workbench.releases.forms.ir_datasets import ir_datasets_definition
from workbench.releases.forms.publication import Publication

LEFT_OUT = "FORMS-LEFT-OUT.txt"


def publication_of(contents: ReleaseContents) -> Publication:
    """What the forms need to know of a release."""
    about = contents.about
    documents = [
        Document(one.docno, one.title or "", one.text or "")
        for one in contents.documents
        if one.text is not None or one.title is not None
    ]
    return Publication(
        slug=about.name,
        version=about.version,
        title=about.title,
        scale=contents.scale,
        topics=contents.topics,
        qrels=contents.qrels,
        documents=tuple(documents) if Included.DOCUMENTS in contents.included else None,
        description=about.description,
        authors=about.authors,
        citation=about.citation,
        homepage=about.homepage,
        licence=about.licence,
        released=f"{about.released_at:%Y-%m-%d}",
        relevant_from=contents.rule.relevant_from,
    )


def form_files(contents: ReleaseContents) -> dict[str, bytes]:
    """The files of every form by path; `FORMS-LEFT-OUT.txt` says which one is missing, and why."""
    forms = published_forms(publication_of(contents))
    files = dict(forms.files)
    if forms.left_out:
        lines = (f"{name}: {reason}\n" for name, reason in forms.left_out.items())
        files[LEFT_OUT] = "".join(lines).encode("utf-8", "backslashreplace")
    return files


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
