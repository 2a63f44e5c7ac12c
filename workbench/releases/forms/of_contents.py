"""The files of the forms of other programs, from the contents of a release."""

from __future__ import annotations

from workbench.records import Document
from workbench.releases.contents import Included, ReleaseContents
from workbench.releases.forms.publication import Publication
from workbench.releases.forms.published import published_forms

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
