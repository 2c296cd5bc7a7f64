"""The program that opens files, so that a bad file crashes nothing else.

``python -m app.media.worker`` implements `app.media.protocol`.
"""

import errno
import io
import json
import signal
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from app.children.lean import give_way, limit_processor_time
from app.children.memory_limit import Watched, limit_memory
from app.contract.enums import PostType
from app.media.images import TooLargeError, make_image
from app.media.probe import probe
from app.media.protocol import BACKGROUND, PIECE_MAX, TOO_LARGE, Answer, Fault, Line, ProbeResult, Recipe

if TYPE_CHECKING:
    from app.media.frames import VideoReader

MEMORY_BYTES: Final = 2 * 1024**3
"""Memory limit in bytes; files that need more get an error."""
STEP_S: Final = 20.0
"""CPU time limit between two lines, in s, if the system supports one."""
_REPORT_EVERY_S: Final = 0.1
_NICE: Final = 5
_OF_THE_DISK: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
)

Done = tuple[Any, bytes]


class Program:
    """Answers requests one by one; ``asked`` and ``answers`` are its input and output."""

    def __init__(self, asked: BinaryIO, answers: BinaryIO, watched: Watched = nullcontext) -> None:
        """``watched`` returns a block for each request."""
        self._asked, self._answers, self._watched = asked, answers, watched
        self._reader: VideoReader | None = None
        self._tasks: Final[dict[str, Callable[[Line], Done]]] = {
            "probe": self._probe,
            "thumbnail": self._thumbnail,
            "cover": self._cover,
            "copy": self._copy,
            "open": self._open,
            "at": self._at,
        }

    def run(self) -> None:
        """Answer until the input ends. Blocking."""
        while line := self._asked.readline():
            limit_processor_time(STEP_S)
            with self._watched():
                answer, data = self.answer(json.loads(line))
            self._send({**answer, "bytes": len(data)} if data else answer, data)
            limit_processor_time(0)

    def answer(self, asked: Line) -> Answer:
        """Handle one request and return the result. Blocking."""
        try:
            done, data = self._tasks[asked["do"]](asked)
        except (TooLargeError, MemoryError):
            return {"fault": TOO_LARGE}, b""
        except OSError as error:
            # Decoders also raise these errors, but without a system error number.
            if error.errno in _OF_THE_DISK:
                return {"disk": error.strerror}, b""
            return {"fault": Fault.UNREADABLE.value}, b""
        except Exception as error:  # noqa: BLE001  decoders raise all kinds of errors
            from app.media.frames import NoPictureError

            fault = Fault.NO_PICTURE if isinstance(error, NoPictureError) else Fault.UNREADABLE
            return {"fault": fault.value}, b""
        return {"done": done}, data

    def _send(self, line: Line, data: bytes = b"") -> None:
        self._answers.write(json.dumps(line).encode() + b"\n" + data)
        self._answers.flush()
        limit_processor_time(STEP_S)

    @staticmethod
    def _probe(asked: Line) -> Done:
        found = probe(Path(asked["path"]), PostType(asked["post_type"]), whole=asked["whole"])
        return found.to_json(), b""

    @staticmethod
    def _thumbnail(asked: Line) -> Done:
        from app.media.frames import thumbnail

        file, post_type = Path(asked["path"]), PostType(asked["post_type"])
        return None, thumbnail(file, post_type, asked["edge"], asked["cover_ms"]) or b""

    def _cover(self, asked: Line) -> Done:
        from app.media.frames import cover

        lent = _LentFile(asked["size"], self._read)
        return None, cover(io.BufferedReader(lent, PIECE_MAX), asked["ms"]) or b""

    def _read(self, first: int, size: int) -> bytes:
        self._send({"read": [first, size]})
        return self._asked.read(size)

    def _copy(self, asked: Line) -> Done:
        recipe, source, target = Recipe.from_json(asked["recipe"]), Path(asked["path"]), Path(asked["target"])
        if recipe.content_type.startswith("image/"):
            make_image(source, target, recipe)
        else:
            from app.media.transcode import make_video

            make_video(source, target, recipe, ProbeResult.from_json(asked["probed"]), self._reporter())
        return None, b""

    def _reporter(self) -> Callable[[float], None]:
        reported = 0.0

        def progress(share: float) -> None:
            nonlocal reported
            if (now := time.monotonic()) - reported >= _REPORT_EVERY_S:
                reported = now
                self._send({"share": share})

        return progress

    def _open(self, asked: Line) -> Done:
        from app.media.frames import VideoReader

        reader = self._reader = VideoReader(Path(asked["path"]))
        width, height = reader.size
        shown = {"width": width, "height": height}
        return shown | {"duration_ms": reader.duration_ms, "has_sound": reader.has_sound}, b""

    def _at(self, asked: Line) -> Done:
        if self._reader is None:
            raise ValueError("no video is open")
        width, height = asked["box"]
        picture = asdict(self._reader.at(asked["ms"], (width, height)))
        pixels: bytes = picture.pop("pixels")
        return picture, pixels


class _LentFile(io.RawIOBase):
    """A file that another program reads: ``read`` receives an offset and a number of bytes."""

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        self._size = size
        self._read = read
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # any buffer
        size = max(0, min(len(buffer), PIECE_MAX, self._size - self._at))
        if size:
            piece = self._read(self._at, size)
            size = len(piece)
            buffer[:size] = piece
            self._at += size
        return size


def main() -> None:
    """Answer until stdin closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which then closes our stdin
    if BACKGROUND in sys.argv[1:]:
        give_way(_NICE)
    watched = limit_memory(MEMORY_BYTES)
    Program(sys.stdin.buffer, sys.stdout.buffer, watched).run()


if __name__ == "__main__":
    main()
