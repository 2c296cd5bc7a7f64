"""`python -m tests.benchmarks.upload.app DATA URL KEY_FILE`: the real app with a window showing its files.

Reads file paths from stdin and uploads each as if it had been dropped. Prints a line of JSON for it:
``seconds`` from sending until it's stored, ``gaps_ms`` between iterations of the event loop meanwhile, and
``storage_path``. Prints an empty line first, when everything is ready.

For a file after ``cancel ``, sends a twentieth and cancels. ``seconds`` is then the time until the file is
closed, the upload is forgotten, and the service has released its storage.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, QTimer

from app.desktop import aio
from app.desktop.application import Application, Elsewhere
from app.desktop.media.pane import MediaPane
from app.workspace.media.upload import Upload, UploadState
from app.workspace.media.uploads import Uploads
from tests.journeys.trusting import begin

_SIZE = 1_440, 900
_BEAT_MS = 4
_PATIENCE_S = 600
_CANCEL = "cancel "
_SETTLE_S = 1.0


def main() -> int:
    """Run until stdin ends."""
    data, url, key_file = sys.argv[1:]
    app = aio.AsyncApplication([])
    application = Application(Path(data), ZoneInfo("Europe/Lisbon"), Elsewhere(url, Path(key_file)))
    application.window.resize(*_SIZE)

    async def work(_stop: asyncio.Event) -> int:
        application.take_folder()
        application.window.show()
        await begin(application)
        assert application.controller is not None
        assert application.visit is not None
        application.window.go("media")
        await asyncio.sleep(_SETTLE_S)
        print(flush=True)
        await _serve(application.controller.media, application.visit.workspace.media.uploads)
        await application.close()
        return 0

    return aio.run(app, work)


async def _serve(pane: MediaPane, uploads: Uploads) -> None:
    while line := await asyncio.to_thread(sys.stdin.readline):
        _, cancelled, path = line.strip().rpartition(_CANCEL)
        do = _cancel if cancelled else _upload
        print(json.dumps(await do(pane, uploads, Path(path))), flush=True)


async def _upload(pane: MediaPane, uploads: Uploads, file: Path) -> dict[str, object]:
    stored: asyncio.Future[Upload] = asyncio.get_running_loop().create_future()
    heart, began = _Heart(), 0.0

    def hear(upload: Upload) -> None:
        nonlocal began
        if upload.state is UploadState.SENDING and not began:
            began = time.perf_counter()
            heart.start()
        if upload.is_done and not stored.done():
            stored.set_result(upload)
        if upload.is_failed and not stored.done():
            stored.set_exception(RuntimeError(upload.reason))

    stop = uploads.listen(hear)
    pane.adding.take([file])
    async with asyncio.timeout(_PATIENCE_S):
        done = await stored
    seconds = time.perf_counter() - began
    heart.stop()
    stop()
    await uploads.cancel(done.id)  # forget it, so that the same file can be uploaded again
    return {"seconds": seconds, "gaps_ms": heart.gaps_ms, "storage_path": done.storage_path}


async def _cancel(pane: MediaPane, uploads: Uploads, file: Path) -> dict[str, object]:
    under_way: asyncio.Future[Upload] = asyncio.get_running_loop().create_future()

    def hear(upload: Upload) -> None:
        if upload.sent > upload.size / 20 and not under_way.done():
            under_way.set_result(upload)

    stop = uploads.listen(hear)
    pane.adding.take([file])
    async with asyncio.timeout(_PATIENCE_S):
        upload = await under_way
        stop()
        began = time.perf_counter()
        await uploads.cancel(upload.id)
        while uploads.get(upload.id) or uploads._others or _is_open(file):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    return {"seconds": time.perf_counter() - began, "gaps_ms": [], "storage_path": upload.storage_path}


def _is_open(file: Path) -> bool:
    """Whether this process still has the file open."""
    return any(link.exists() and link.readlink() == file for link in Path("/proc/self/fd").iterdir())


class _Heart:
    """Records every iteration of the event loop."""

    def __init__(self) -> None:
        self.gaps_ms: list[float] = []
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._last = 0.0

    def start(self) -> None:
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps_ms.append((now - self._last) * 1_000)
        self._last = now


if __name__ == "__main__":
    sys.exit(main())
