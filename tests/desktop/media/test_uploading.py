"""Files on their way: dropped, paused, put off, limited, refused, and fetched from addresses."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, QUrl
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.contract.enums import PostType
from app.desktop.media.adding import ImportSheet, TwiceSheet
from app.desktop.media.queue import _PICTURE as ROW_PICTURE
from app.desktop.media.wording import standing, underway
from app.desktop.widgets.painting import decoded
from app.desktop.words import clock, day
from app.workspace.clock import from_millis, to_millis
from app.workspace.editing.draft import ComposerDraft
from app.workspace.media.upload import Upload, UploadState
from tests.desktop.dragged import dropping, entering
from tests.desktop.media.seeing import MIB, OnPane, Seen, jpeg, seen
from tests.desktop.pressing import press
from tests.desktop.running import run
from tests.workspace.media.samples import SlowLine, picture, video, written
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, opened, until


def test_the_upload_of_a_draft_is_not_cancelled(
    on_pane: OnPane, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def story(now: Seen) -> None:
        (upload,) = await now.media.add_files([video(tmp_path, "a.mp4", MIB)])
        draft = now.workspace.drafts.keep(ComposerDraft("Wool", upload_id=upload.id))
        await until(lambda: len(now.pane.queue.rows()) == 1)
        press(now.row(0).cross)
        await until(lambda: now.said)
        assert now.said[0].text == (
            "“a.mp4” is attached to a draft. To cancel its upload, remove it from the draft."
        )
        assert now.media.uploads.get(upload.id) is not None
        now.workspace.drafts.remove([draft.id])
        press(now.row(0).cross)
        await until(lambda: not now.media.uploads.all())
        line.go.set()

    on_pane(story, line=line)


def test_files_are_dropped_uploaded_and_listed_and_odd_ones_are_refused(
    on_pane: OnPane, tmp_path: Path
) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        good, odd = picture(tmp_path, "hem.jpg"), written(tmp_path, "list.pdf", b"%PDF-1.7")
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in (good, odd)])
        QApplication.sendEvent(now.pane, entering(QPoint(9, 9), data))
        QApplication.sendEvent(now.pane, dropping(QPoint(9, 9), data))
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg", "hem.jpg")
        assert "list.pdf" in now.said[0].text
        await until(lambda: now.row().state.text() == "Stored")
        press(now.row().see)
        chosen = now.pane.grid.current_item()
        assert chosen is not None
        assert (chosen.name, now.pane.details.name.text()) == ("hem.jpg", "hem.jpg")
        press(now.row().cross)
        assert now.pane.queue.rows() == []
        now.pane.adding.take([good])
        await until(lambda: now.pane.findChildren(TwiceSheet))
        assert len(now.media.uploads.all()) == 1
        press(now.pane.findChildren(TwiceSheet)[0].again)
        await until(lambda: len(now.media.uploads.all()) == 2)

    on_pane(story)


def test_an_upload_is_paused_hastened_goes_on_and_is_cancelled(
    on_pane: OnPane, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def story(now: Seen) -> None:
        files = [video(tmp_path, f"{name}.mp4", MIB) for name in "abcd"]
        await now.media.add_files(files)
        uploads = now.media.uploads
        await until(lambda: line.uploads == 2)
        await until(lambda: now.pane.queue.counts.text() == "2 running · 2 waiting")
        await until(lambda: len(now.pane.queue.rows()) == 4)
        press(now.row(0).pause)
        await until(lambda: uploads.all()[0].state is UploadState.PAUSED)
        await until(lambda: now.pane.queue.counts.text() == "2 running · 1 waiting · 1 paused")
        press(now.row(3).first)
        await until(lambda: [row.name.text()[0] for row in now.pane.queue.rows()] == list("dabc"))
        assert [upload.name[0] for upload in uploads.all()] == list("dabc")
        press(now.row(2).cross)
        await until(lambda: [upload.name[0] for upload in uploads.all()] == list("dac"))
        paused = next(row for row in now.pane.queue.rows() if row.name.text() == "a.mp4")
        press(paused.go_on)
        line.go.set()
        await until(lambda: all(upload.is_done for upload in uploads.all()))
        await until(lambda: now.pane.queue.counts.text() == "All uploaded")

    on_pane(story, line=line)


class Gate(ThreadPoolExecutor):
    """Decodes no picture of a row before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.held: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        if not (isinstance(fn, partial) and decoded in fn.args and fn.args[-1] == ROW_PICTURE):
            return super().submit(fn, *args, **kwargs)
        self.held.append(later := super().submit(lambda: self.go.wait() and fn(*args, **kwargs)))
        return later


def test_a_row_that_is_gone_when_its_picture_is_made_is_left_alone(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        gate = Gate()
        asyncio.get_running_loop().set_default_executor(gate)
        async with opened(tmp_path, service) as workspace, seen(workspace) as now:
            now.pane.adding.take([picture(tmp_path, "hem.jpg")])
            await until(lambda: gate.held and now.row().state.text() == "Stored")
            row = now.row()
            press(row.cross)
            await until(lambda: not isValid(row))
            gate.go.set()
            await until(lambda: all(one.done() for one in gate.held))
            await asyncio.sleep(0.01)

    run(qapp, work)


def test_of_many_uploads_only_those_in_sight_have_rows(
    on_pane: OnPane, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def story(now: Seen) -> None:
        queue = now.pane.queue
        await now.media.add_files([video(tmp_path, f"{number:02}.mp4") for number in range(40)])
        await until(lambda: queue.counts.text() == "2 running · 38 waiting")
        await until(lambda: not queue._building.isActive())
        assert [row.name.text() for row in queue.rows()][:4] == ["00.mp4", "01.mp4", "02.mp4", "03.mp4"]
        assert len(queue.rows()) < 20
        bar = queue._area.verticalScrollBar()
        await until(lambda: bar.maximum() > 30 * 44)
        bar.setValue(bar.maximum())
        await until(lambda: len(queue.rows()) == 40)

    on_pane(story, line=line)


def test_a_limit_is_chosen_from_a_menu_and_shown(on_pane: OnPane) -> None:
    async def story(now: Seen) -> None:
        limit = now.pane.queue.limit
        assert limit.text() == "Limit speed"
        choices = limit.menu_of(limit).actions()
        (wanted,) = [action for action in choices if action.text() == "2 MB/s"]
        wanted.trigger()
        await until(lambda: now.media.uploads.limit.rate == 2 * MIB)
        assert (limit.text(), limit.accessibleName()) == ("2 MB/s", "Upload speed: 2 MB/s")

    on_pane(story)


def test_what_is_put_off_can_be_tried_at_once(on_pane: OnPane, tmp_path: Path, service: ModelService) -> None:
    service.faults = [("PUT", "500")]
    patient = replace(QUICK, backoff=600.0, backoff_max=600.0)

    async def story(now: Seen) -> None:
        await now.media.add_files([picture(tmp_path)])
        await until(lambda: now.pane.queue.rows() and now.row().again.isVisible())
        assert now.row().again.text() == "Try now"
        assert now.row().state.text() == "broken. The upload will restart automatically."
        press(now.row().again)
        await until(lambda: now.media.uploads.all()[0].is_done)

    on_pane(story, pace=patient)


def test_what_the_service_asks_to_wait_for_says_until_when(
    on_pane: OnPane, tmp_path: Path, service: ModelService
) -> None:
    service.faults = [("POST", "429 3600")] * 2

    async def story(now: Seen) -> None:
        await now.media.add_files([picture(tmp_path, f"{name}.jpg") for name in "abc"])
        await until(lambda: now.media.uploads.all()[2].asked_until)
        await until(lambda: len(now.pane.queue.rows()) == 3 and now.row(2).again.isVisible())
        said = {now.row(number).state.text() for number in range(3)}
        (asked,) = {upload.asked_until for upload in now.media.uploads.all()}
        assert said == {
            (f"The service is rate limiting requests. The upload continues at {_minute_after(asked)}.")
        }
        assert underway(now.media.uploads.all()) == f"3 uploads wait until {_minute_after(asked)}"
        press(now.row(2).again)
        await until(lambda: all(upload.is_done for upload in now.media.uploads.all()))

    on_pane(story)


def test_a_wait_beyond_midnight_names_the_day(tmp_path: Path) -> None:
    midnight = datetime.combine(datetime.now().astimezone() + timedelta(1), time())
    at = to_millis(midnight.astimezone())
    upload = Upload("a", tmp_path, "a.png", PostType.IMAGE, "image/png", 100, 0, 0, asked_until=at)
    assert underway([upload]) == f"1 upload waits until {day(midnight)} 00:00"
    assert f"at {day(midnight)} 00:00" in standing(upload)


def test_what_does_not_fit_is_refused_before_it_is_sent(
    on_pane: OnPane, tmp_path: Path, service: ModelService
) -> None:
    service.room = 300_000

    async def story(now: Seen) -> None:
        await until(now.pane.queue.gauge.isVisible)
        now.pane.adding.take([video(tmp_path, size=400_000)])
        await until(lambda: now.said)
        assert now.said[0].text.startswith("Not enough storage for “walk.mp4”: 390.6 KB needed, ")
        assert now.media.uploads.all() == []
        assert [request.method for request in service.requests].count("POST") == 0

    on_pane(story)


def test_the_gauge_agrees_with_a_refusal_for_storage(
    on_pane: OnPane, tmp_path: Path, service: ModelService
) -> None:
    service.room = 10**9

    async def story(now: Seen) -> None:
        await until(now.pane.queue.gauge.isVisible)
        assert now.pane.queue.room.text().endswith("of 953.7 MB")
        looked = await now.media.look_at([video(tmp_path, size=400_000)])
        service.room = 300_000  # used up by others
        await now.media.uploads.add(looked)
        await until(lambda: any(upload.is_failed for upload in now.media.uploads.all()))
        await until(lambda: now.pane.queue.room.text().endswith("of 293 KB"))

    on_pane(story)


def test_a_file_is_imported_from_an_address_or_says_why_not(on_pane: OnPane, service: ModelService) -> None:
    service.web["https://okafor.studio/linen.jpg"] = jpeg(60)

    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        now.pane.adding.ask_for_address()
        (sheet,) = now.pane.findChildren(ImportSheet)
        sheet.address.setText("linen, please")
        press(sheet.go)
        assert "isn't a file address" in sheet.field.error()
        sheet.address.setText("https://okafor.studio/linen.jpg")
        press(sheet.go)
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg", "linen.jpg")
        now.media.imports.begin("https://okafor.studio/wool.jpg")
        await until(now.row(1).again.isVisible)
        assert now.row(1).state.text() == "Nothing was found at this address."
        service.web["https://okafor.studio/wool.jpg"] = jpeg(60)
        press(now.row(1).again)
        await until(lambda: "wool.jpg" in now.names())

    on_pane(story)


def _minute_after(at: int | None) -> str:
    """The time of day here at which a moment is over for certain, of today or with its day."""
    assert at is not None
    moment = from_millis(-(-at // 60_000) * 60_000).astimezone()
    today = moment.date() == datetime.now().astimezone().date()
    return clock(moment) if today else f"{day(moment)} {clock(moment)}"
