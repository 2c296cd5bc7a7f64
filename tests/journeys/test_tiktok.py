"""A video for TikTok, with real programs: who can see it is asked, applied, and shown with its labels."""

import asyncio
from pathlib import Path

import httpx
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.desktop.composer.composing import stored
from tests.journeys.conftest import Play
from tests.journeys.stage import Stage
from tests.service.publishing.endtoend.files import Sample


@pytest.mark.variation
def test_a_film_is_published_for_whom_it_was_chosen(stage: Stage, play: Play, tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    film.write_bytes(Sample("video/mp4", 640, 360).content)

    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("tiktok")
            panel = actor.controller.panels.compose(None)
            await actor.until(lambda: not panel.text_box.editor.isReadOnly())
            panel.attachment.take([film])
            await actor.until(lambda: bool(stored(panel)))
            panel.accounts.toggle(account).setChecked(True)
            panel.text_box.editor.setFocus()
            QTest.keyClicks(panel.text_box.editor, "Hem in a minute")
            field = panel.tiktok.field(account)
            await actor.until(lambda: field.creator is not None)
            QTest.mouseClick(panel.frame.publish, Qt.MouseButton.LeftButton)
            assert panel.problems.texts() == ("Choose who can see it on TikTok.",)
            assert len(actor.workspace.posts.all()) == 0

            QTest.keyClicks(field.privacy, "Fr")
            for box in (field.comments, field.ai, field.commercial, field.your_brand):
                QTest.keyClick(box, Qt.Key.Key_Space)
            assert panel.problems.texts() == ()
            QTest.mouseClick(panel.frame.publish, Qt.MouseButton.LeftButton)
            await actor.until(lambda: actor.post("Hem in a minute").published)
            detail = await actor.workspace.detail(actor.post("Hem in a minute").key)
            assert detail.tiktok is not None
            assert detail.tiktok.your_brand
        [entry] = stage.entries("Hem in a minute")
        shown = "Friends · Promotional content · Creator labeled as AI-generated · No duets · No stitches"
        assert entry["labels"] == shown
        assert f"Practice labels: {shown}" in await asyncio.to_thread(wall)

    def wall() -> str:
        return httpx.get(f"{stage.service.practice_url}/published/tiktok", trust_env=False).text

    play(journey())
