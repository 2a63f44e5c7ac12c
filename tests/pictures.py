"""Takes the pictures of the manual and of README from the real pages of the demo campaign.

`python -m tests.pictures` serves the demo, photographs each page in light and in dark, and writes
`static/help/NAME.webp` and `NAME-dark.webp`. Run it after a change to these pages and commit the files.
"""

from __future__ import annotations

import base64
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.people import demo_instance, sign_in
from tests.browsers import find_browser
from tests.cast import CHEAP
from tests.servers import WholeAnswers, served_here
from tests.tree import ROOT
from workbench.demo.campaign import SLUG
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.web.app import create_app

FOLDER = ROOT / "static" / "help"
WIDTH, HEIGHT, SHARPNESS = 1280, 800, 1.5
QUALITY = 0.65
TOPIC, DOCNO = "Spring and neap tides", "ALM-0036"
SETTLE_MS = 1500  # what a page fetches after it was shown: plots, words that are highlighted
# Chromium writes WebP; the page of the demo would not let a script read a picture, so an empty one does it.
TO_WEBP = """async ([png, quality]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page of the demo: the name of its file, who sees it, where it is."""

    name: str
    login: str
    path: str


PICTURES = (
    Picture("desk", "marlow", f"/c/{SLUG}/judge"),  # and on to the desk of TOPIC
    Picture("overview", "organiser", f"/c/{SLUG}/"),
    Picture("agreement", "organiser", f"/c/{SLUG}/agreement"),
    Picture("adjudication", "organiser", f"/c/{SLUG}/adjudicate"),
)


def main() -> None:
    """Take all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings({}, instance=demo_instance(Path(folder)))
        database = Database(settings.database_url)
        migrate(database)
        with (
            served_here(WholeAnswers(create_app(settings, database, passwords=CHEAP))) as address,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(
                executable_path=find_browser(), args=["--disable-dev-shm-usage"], chromium_sandbox=False
            )
            for picture in PICTURES:
                for dark in (False, True):
                    content = take(browser, address, picture, dark=dark)
                    path = FOLDER / f"{picture.name}{'-dark' if dark else ''}.webp"
                    path.write_bytes(content)
                    print(f"{path.relative_to(ROOT)}: {len(content) / 1024:.0f} KB")
            browser.close()
        database.close()


def take(browser: Browser, address: str, picture: Picture, *, dark: bool) -> bytes:
    """One picture as WebP."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        device_scale_factor=SHARPNESS,
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
    )
    page = context.new_page()
    sign_in(page, address, picture.login)
    page.goto(f"{address}{picture.path}")
    if picture.name == "desk":
        topic = page.get_by_role("row").filter(has_text=TOPIC)
        page.goto(f"{address}{topic.get_by_role('link').last.get_attribute('href')}?docno={DOCNO}")
    page.wait_for_timeout(SETTLE_MS)
    png = page.screenshot()
    content = _webp(context.new_page(), png)
    context.close()
    return content


def _webp(empty: Page, png: bytes) -> bytes:
    return base64.b64decode(empty.evaluate(TO_WEBP, [base64.b64encode(png).decode("ascii"), QUALITY]))


if __name__ == "__main__":
    main()
