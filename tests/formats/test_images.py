"""The size of images without decoding them; what is cut, giant or none of the four types is refused."""

from __future__ import annotations

import io
import tracemalloc

import pytest

from tests.formats.image_files import gif_file, jpeg_file, png_file, webp_file
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.documents import read_documents
from workbench.formats.images import LONGEST_IMAGE, LONGEST_SIDE, MOST_FRAMES, image_form

WHOLE = {
    "image/png": png_file(40, 30),
    "image/jpeg": jpeg_file(40, 30),
    "image/gif": gif_file(40, 30),
    "image/webp": webp_file(40, 30),
}


@pytest.mark.parametrize("media_type", WHOLE)
def test_an_image_says_its_type_and_size_and_a_cut_one_is_refused_wherever_it_is_cut(media_type: str) -> None:
    whole = WHOLE[media_type]
    found = image_form(whole)
    assert (found.media_type, found.width, found.height) == (media_type, 40, 30)
    for length in range(12, len(whole) - 4):
        with pytest.raises(WorkbenchError):
            image_form(whole[:length])


@pytest.mark.parametrize(
    "content",
    [
        png_file(LONGEST_SIDE + 1, 1),
        png_file(LONGEST_SIDE, LONGEST_SIDE),
        png_file(0, 5),
        png_file(2**32 - 1, 2**32 - 1),
        jpeg_file(65_535, 65_535),
        gif_file(1, 1, frame=(65_535, 65_535)),
        gif_file(1, 1, frames=MOST_FRAMES + 1),
        webp_file(2**14, 2**14),
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        b"BM" + bytes(60),
    ],
)
def test_giants_and_other_types_are_refused(content: bytes) -> None:
    with pytest.raises(WorkbenchError):
        image_form(content)


def read(content: bytes, source: str) -> list[str]:
    return [one.docno for one in read_documents(io.BytesIO(content), source=source)]


def test_a_file_is_one_document_named_after_it_and_errors_name_the_file() -> None:
    assert read(png_file(2, 2), "scans/D-12.v2.PNG") == ["D-12.v2"]
    for content, code in ((png_file(2, 2)[:30], "image"), (png_file(10**5, 1), "image")):
        with pytest.raises(InvalidInput) as refused:
            read(content, "scans/D-12.png")
        assert [(one.source, one.code) for one in refused.value.findings] == [("scans/D-12.png", code)]


def test_an_image_that_is_too_long_takes_no_more_memory_than_it_may() -> None:
    class Endless(io.RawIOBase):
        head = png_file(2, 2)[:33]

        def read(self, size: int = -1, /) -> bytes:
            head, self.head = self.head, b""
            return head or bytes(size)

    tracemalloc.start()
    with pytest.raises(InvalidInput) as refused:
        list(read_documents(Endless(), source="x.png"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [one.code for one in refused.value.findings] == ["too-large"]
    assert peak < 4 * LONGEST_IMAGE
