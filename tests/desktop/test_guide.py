"""The user guide in the app: every page and picture is there, links lead nowhere else, and it is small."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFont, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app import resources
from app.desktop.guide import GuideSheet, GuideView
from app.desktop.theme import theme
from tests.desktop.running import run, shown
from tests.gallery.command import GUIDE

FOLDER = resources.guide()
PAGES = sorted(FOLDER.glob("*.md"))
MIB = 1024 * 1024


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_shows_its_text_and_its_pictures(qapp: QApplication, page: Path) -> None:
    text = page.read_text("utf-8")

    async def work() -> None:
        async with shown(GuideView(), (800, 600)) as view:
            view.setSource(QUrl(page.name))
            title = text.splitlines()[0].removeprefix("# ")
            assert view.toPlainText().startswith(title)
            for picture in re.findall(r"\]\((pictures/[^)]+)\)", text):
                found = view.loadResource(2, QUrl(picture))
                assert isinstance(found, QImage)
                assert not found.isNull(), picture
                assert 0 < found.width() <= view.viewport().width()

    run(qapp, work)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_pages_of_the_guide(page: Path) -> None:
    links = re.findall(r"(?<!!)\[[^]]*\]\(([^)]+)\)", page.read_text("utf-8"))
    assert [link for link in links if not (FOLDER / link).is_file()] == []


def test_every_page_is_in_the_contents() -> None:
    contents = (FOLDER / "index.md").read_text("utf-8")
    assert [page.name for page in PAGES if page.name != "index.md" and f"({page.name})" not in contents] == []


def test_the_pictures_are_those_of_the_gallery_all_shown_and_small() -> None:
    files = sorted((FOLDER / "pictures").iterdir())
    assert [file.stem for file in files] == sorted(GUIDE)
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert [file.name for file in files if f"pictures/{file.name}" not in text] == []
    assert sum(file.stat().st_size for file in files) < 2 * MIB


@pytest.mark.parametrize(
    "address",
    ["https://example.com/", "file:///etc/passwd", "../service.md", "pictures/month.png", "missing.md"],
)
def test_nothing_outside_of_the_guide_is_shown(qapp: QApplication, address: str) -> None:
    async def work() -> None:
        async with shown(GuideView(), (800, 600)) as view:
            view.setSource(QUrl("install.md"))
            before = view.toPlainText()
            view.setSource(QUrl(address))
            assert view.toPlainText() == before
            assert view.loadResource(2, QUrl("../screenshots/month.png")) is None

    run(qapp, work)


def test_a_new_width_loads_the_page_again_only_after_the_layout(qapp: QApplication) -> None:
    """A scroll bar resizes the view in the middle of a layout, whose blocks must stay."""

    async def work() -> None:
        async with shown(GuideView(), (800, 600)) as view:
            view.setSource(QUrl("platforms.md"))
            qapp.processEvents()
            before = view.document().revision()
            view.resize(620, 600)
            assert view.document().revision() == before
            qapp.processEvents()
            assert view.document().revision() > before
            assert view.toPlainText().startswith("Set up the platforms")

    run(qapp, work)


def test_the_sheet_goes_to_pages_back_and_to_the_contents(qapp: QApplication) -> None:
    async def work() -> None:
        async with shown(QWidget(), (1280, 800)) as host:
            sheet = GuideSheet(host)
            sheet.show_guide()
            assert not sheet.back.isEnabled()
            sheet.view.setSource(QUrl("moving.md"))
            assert sheet.view.toPlainText().startswith("Move to another computer")
            sheet.back.click()
            assert sheet.view.toPlainText().startswith("Kalends user guide")
            sheet.view.setSource(QUrl("moving.md"))
            sheet.contents.click()
            assert sheet.view.toPlainText().startswith("Kalends user guide")

    run(qapp, work)


def test_headings_and_emphasis_use_bundled_weights_only(qtbot: QtBot) -> None:
    view = GuideView()
    qtbot.addWidget(view)
    view.setSource(QUrl("first-post.md"))
    used, block = set(), view.document().begin()
    while block.isValid():
        part = block.begin()
        while not part.atEnd():
            look = part.fragment().charFormat()
            used.add((block.blockFormat().headingLevel(), look.fontWeight(), look.font().pixelSize()))
            part += 1
        block = block.next()
    assert (1, QFont.Weight.DemiBold, 20) in used
    assert any(level == 0 and weight == QFont.Weight.DemiBold for level, weight, _ in used)
    assert max(weight for _, weight, _ in used) == QFont.Weight.DemiBold
