"""Details of a published post: its picture, its alt text and its numbers; ids are behind a button."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from PySide6.QtCore import QBuffer
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication

from app.contract.base import format_timestamp
from app.desktop.history import HistoryPane
from app.desktop.inspector import Inspector
from app.desktop.widgets import Label
from app.workspace.clock import wall_clock
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import until

PATH = "me/loom.png"


def picture() -> bytes:
    image = QImage(320, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("#B5533C"))
    buffer = QBuffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def service_with_post() -> tuple[ModelService, str]:
    service = service_of_today()
    service.offers = ("media",)
    key = service.add_post(service.add_account("x"), wall_clock() - HOUR, "On the loom", status="posted")
    now = format_timestamp(datetime.now(UTC))
    service.posts[UUID(key)] |= {"posted_at": now, "media_storage_path": PATH, "batch_id": "together-1"}
    service.files[PATH] = picture()
    service.described[PATH] = {"alt_text": "A red cloth on a loom"}
    one = record(1, "On the loom", scheduled_post_id=key, content_id="18", media_type="image")
    keep_history(service, [one | {"batch_id": "together-1"}])
    keep_metrics(service, [metric("18", datetime.now(UTC).date(), views=1_234)])
    return service, key


def test_the_inspector_shows_picture_alt_text_and_numbers(qapp: QApplication, tmp_path: Path) -> None:
    service, key = service_with_post()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.published.refresh()
            await opened.analytics.refresh()
            await opened.media.library.refresh()
            async with shown(Inspector(opened, LISBON, key), (440, 760)) as panel:
                await until(panel.preview.cover.isVisible)
                await until(lambda: panel.alt_text.text() == "Alt text: A red cloth on a loom")
                await until(lambda: panel.preview.cover.has_picture)
                await until(panel.figures.isVisible)
                assert panel.figures.numbers[0].text() == "1,234"
                copies = {action.text(): action for action in panel.menu().actions()}
                copies["Copy post ID"].trigger()
                assert QGuiApplication.clipboard().text() == key

    run(qapp, work)


def test_the_history_shows_the_picture_and_hides_ids(qapp: QApplication, tmp_path: Path) -> None:
    service, _key = service_with_post()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.media.library.refresh()
            async with shown(HistoryPane(opened, LISBON), (1_072, 760)) as pane:
                await until(lambda: len(pane.model.places) == 1)
                await until(lambda: pane.details.cover.has_picture)
                assert pane.details.alt_text.text() == "Alt text: A red cloth on a loom"
                assert pane.details.figures.numbers[0].text() == "1,234"
                assert not any("together-1" in label.text() for label in pane.details.findChildren(Label))
                copies = [one for one in pane.details.menu().actions() if one.text() == "Copy batch ID"]
                copies[0].trigger()
                assert QGuiApplication.clipboard().text() == "together-1"

    run(qapp, work)
