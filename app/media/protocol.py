"""The protocol between `helper` and `worker`.

The helper sends lines of JSON and receives a line of JSON for each. An answer contains ``done``, ``fault``
with a value of ``Fault`` or TOO_LARGE, or ``disk`` with the system's error message. An answer with ``bytes``
is followed by that many bytes. The command line contains no path. The worker ends when its input is closed.

* ``{"do": "probe", "path", "post_type", "whole"}``: ``done`` is a ``ProbeResult``.
* ``{"do": "thumbnail", "path", "post_type", "edge", "cover_ms"}``: the bytes are a JPEG; empty without one.
* ``{"do": "cover", "size", "ms"}``: the same, for a video that the helper reads. The worker first sends lines
  ``{"read": [first, size]}``, each answered with these bytes of the video.
* ``{"do": "copy", "path", "target", "recipe", "probed"}``: preceded by lines ``{"share": 0.5}`` with the
  progress.
* ``{"do": "open", "path"}``: ``done`` contains ``width``, ``height``, ``duration_ms`` and ``has_sound``.
* ``{"do": "at", "ms", "box": [width, height]}``: ``done`` is a ``Picture`` of the open video, and the bytes
  are its pixels.
"""

from typing import Any, Final

PROGRAM: Final = "app.media.worker"
BACKGROUND: Final = "--background"
"""Argument of the program: runs it with low priority."""
TOO_LARGE: Final = "too large"
"""Value of ``fault`` if the file would take too much memory, or its copy can't be made small enough."""
PIECE_MAX: Final = 512 * 1024
"""Maximum number of bytes of a video per read."""

Line = dict[str, Any]
Answer = tuple[Line, bytes]
"""A line and the bytes that follow it."""
