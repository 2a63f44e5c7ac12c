"""The size of images without decoding them; what is cut, giant or none of the four types is refused."""

from __future__ import annotations

import io
import tracemalloc

import pytest

from tests.formats.image_files import gif_file, jpeg_file, png_file, webp_file
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.documents import read_documents
from workbench.formats.documents_image import LONGEST_IMAGE, LONGEST_SIDE, MOST_FRAMES, image_form

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


def jpeg_with(segments: bytes) -> bytes:
    """A JPEG whose segments begin with these."""
    return b"\xff\xd8" + segments + jpeg_file(40, 30)[2:]


@pytest.mark.parametrize(
    "content",
    [
        jpeg_with(b"\xff\xff\xff"),  # as many of these as a writer likes may stand before a marker
        jpeg_with(b"\xff\xd0"),  # a marker without a length
        b"GIF89a\x28\0\x1e\0\0\0\0!\xf9\x04\0\0\0\0\0" + gif_file(40, 30)[19:],  # an extension
        b"RIFF" + b"\x1e\0\0\0" + b"WEBPVP8 " + b"\x0a\0\0\0" + bytes(6) + b"\x28\0\x1e\0" + bytes(8),
        b"RIFF" + b"\x16\0\0\0" + b"WEBPVP8X" + b"\x0a\0\0\0" + bytes(4) + b"\x27\0\0\x1d\0\0",
    ],
    ids=["filled", "restarted", "gif with an extension", "lossy webp", "webp with a canvas"],
)
def test_the_size_is_found_behind_what_may_stand_before_it(content: bytes) -> None:
    found = image_form(content)
    assert (found.width, found.height) == (40, 30)


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n" + png_file(40, 30)[33:],
        jpeg_with(b"\0"),
        jpeg_with(b"\xff\xda\0\x02"),
        gif_file(40, 30)[:-1] + b"?" * 12,
    ],
    ids=["png without a header", "jpeg without a marker", "jpeg without a size", "gif with another block"],
)
def test_what_stands_where_its_format_has_something_else_is_refused(content: bytes) -> None:
    with pytest.raises(WorkbenchError):
        image_form(content)


def test_a_webp_with_too_many_frames_is_refused() -> None:
    frames = (b"ANMF" + bytes(4)) * (MOST_FRAMES + 1)
    content = b"RIFF" + (len(frames) + 4).to_bytes(4, "little") + b"WEBP" + frames
    with pytest.raises(WorkbenchError, match="frames"):
        image_form(content)
