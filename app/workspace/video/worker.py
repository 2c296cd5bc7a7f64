"""The program that decodes a video which is watched: a bad one may take it down, and nothing else.

``python -m app.workspace.video.worker`` reads lines of JSON and answers each with a line. No path is on its
command line. It ends when its standard input does.

* ``{"path"}``, once, comes first: ``{"width", "height", "duration_ms", "has_sound"}``.
* ``{"ms", "box": [width, height]}``: ``{"ms", "width", "height", "stride", "is_last", "bytes"}``, and then so
  many bytes, the pixels of a ``picture.Picture``.

Instead of either, ``fault`` holds a word of ``Fault`` or ``too large``.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.workspace.repair.seen import Fault
from app.workspace.repair.worker import TOO_LARGE, be_modest
from app.workspace.video.reader import NoPictureError, VideoReader

Answer = dict[str, Any]


class Program:
    """What it knows from one line to the next."""

    def __init__(self) -> None:
        self._reader: VideoReader | None = None

    def answer(self, asked: Answer) -> tuple[Answer, bytes]:
        """Does what one line asks. Blocking."""
        try:
            return self._opened(asked) if self._reader is None else self._at(self._reader, asked)
        except MemoryError:
            return {"fault": TOO_LARGE}, b""
        except NoPictureError:
            return {"fault": Fault.NO_PICTURE.value}, b""
        except Exception:  # noqa: BLE001  decoders fail in every way there is
            return {"fault": Fault.UNREADABLE.value}, b""

    def _opened(self, asked: Answer) -> tuple[Answer, bytes]:
        reader = self._reader = VideoReader(Path(asked["path"]))
        width, height = reader.size
        told = {"width": width, "height": height}
        return told | {"duration_ms": reader.duration_ms, "has_sound": reader.has_sound}, b""

    @staticmethod
    def _at(reader: VideoReader, asked: Answer) -> tuple[Answer, bytes]:
        width, height = asked["box"]
        told = asdict(reader.at(asked["ms"], (width, height)))
        pixels: bytes = told.pop("pixels")
        return told | {"bytes": len(pixels)}, pixels


def main() -> None:
    """Answers until stdin closes."""
    be_modest()
    program, out = Program(), sys.stdout.buffer
    for line in sys.stdin:
        told, pixels = program.answer(json.loads(line))
        out.write(json.dumps(told).encode() + b"\n" + pixels)
        out.flush()


if __name__ == "__main__":
    main()
