"""A running import is named before the calendar is closed."""

from pathlib import Path

from PIL import Image
from PySide6.QtWidgets import QApplication

from app.desktop.theme import theme
from tests.desktop.exchange.test_import_sheet import SOON, furnished, opened_table, service
from tests.desktop.running import run
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

__all__ = ["service"]


def test_an_import_is_unfinished_while_it_runs(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")
    Image.new("RGB", (320, 320)).save(tmp_path / "coat.jpg")
    content = f"Text,Account,Date,Image\nA,account1,{SOON} 10:00,coat.jpg\n"

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, content)
            assert controller.unfinished() == []
            service.online = False  # its file can't be uploaded
            sheet.go.click()
            await until(controller.workspace.media.uploads.all)
            (told,) = controller.unfinished()
            assert told.startswith("Posts are still being imported.")
            sheet.go.click()
            await until(lambda: sheet.go.text() == "Done")
            assert controller.unfinished() == []
            sheet.go.click()
            await until(lambda: not controller.window.findChildren(type(sheet)))
            assert controller.unfinished() == []

    run(qapp, work)
