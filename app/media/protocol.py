"""What `helper` and `worker` say to each other.

The helper writes lines of JSON, and gets a line of JSON for each. An answer holds ``done``, ``fault`` with a
word of ``Fault`` or TOO_LARGE, or ``disk`` with the system's words. One with ``bytes`` is followed by that
many bytes. No path is on the command line. The worker ends when its standard input does.

* ``{"do": "probe", "path", "post_type", "whole"}``: ``done`` is a ``ProbeResult``.
* ``{"do": "thumbnail", "path", "post_type", "edge", "cover_ms"}``: the bytes are a JPEG, none without one.
* ``{"do": "cover", "size", "ms"}``: the same of a video that the helper has. Lines
  ``{"read": [first, size]}`` come before; each is answered with these bytes of the video.
* ``{"do": "copy", "path", "target", "recipe", "probed"}``: lines ``{"share": 0.5}`` before say how far.
* ``{"do": "open", "path"}``: ``done`` holds ``width``, ``height``, ``duration_ms`` and ``has_sound``.
* ``{"do": "at", "ms", "box": [width, height]}``: ``done`` is a ``Picture`` of the opened video, whose pixels
  are the bytes.
"""

from typing import Any, Final

PROGRAM: Final = "app.media.worker"
BACKGROUND: Final = "--background"
"""An argument of the program: it lets other programs of this computer go first."""
TOO_LARGE: Final = "too large"
"""In place of a ``Fault``: the file would take too much memory, or its copy cannot be made small enough."""
PIECE_MAX: Final = 512 * 1024
"""Most bytes of a video that are read at once."""

Line = dict[str, Any]
Answer = tuple[Line, bytes]
"""A line and the bytes that follow it."""
