"""The program that opens files: a bad one may take it down, and nothing else.

``python -m app.workspace.repair.worker`` reads lines of JSON and answers each with lines of its own; the last
one of an answer holds ``done``, ``fault`` with a word of ``Fault`` or ``too large``, or ``disk`` with the
system's words. No path is on its command line. It ends when its standard input does.

* ``{"do": "look", "path", "content_type"}``: ``done`` is a ``Seen``.
* ``{"do": "shrink", "path", "post_type", "edge", "cover_ms"}``: ``done`` is a small JPEG in base64, or null.
* ``{"do": "make", "path", "target", "recipe", "seen"}``: meanwhile ``{"share": 0.5}`` says how far.
"""

import base64
import errno
import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from app.children.modest import give_way, limit_memory
from app.contract.enums import PostType
from app.workspace.repair.looking import look_into
from app.workspace.repair.pictures import TooLargeError, make_picture
from app.workspace.repair.recipe import Recipe
from app.workspace.repair.seen import Fault, Seen

MEMORY_BYTES: Final = 2 * 1024**3
"""A file that wants more than this gets an error, where the system can do that."""
TOO_LARGE: Final = "too large"

_TELL_EVERY_S: Final = 0.1
_NICE: Final = 5
_OF_THE_DISK: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
)

Answer = dict[str, Any]


def _look(asked: Answer) -> Any:
    return look_into(Path(asked["path"]), asked["content_type"]).to_json()


def _make(asked: Answer) -> Any:
    recipe, source, target = Recipe.from_json(asked["recipe"]), Path(asked["path"]), Path(asked["target"])
    if recipe.content_type.startswith("image/"):
        make_picture(source, target, recipe)
    else:
        from app.workspace.repair.videos import make_video

        make_video(source, target, recipe, Seen.from_json(asked["seen"]), _meter())
    return None


def _shrink(asked: Answer) -> Any:
    from app.workspace.media.looking import small_picture

    edge, cover_ms = asked["edge"], asked["cover_ms"]
    made = small_picture(Path(asked["path"]), PostType(asked["post_type"]), edge, cover_ms)
    return None if made is None else base64.b64encode(made).decode()


_DOINGS: Final[dict[str, Callable[[Answer], Any]]] = {"look": _look, "make": _make, "shrink": _shrink}


def answer(asked: Answer) -> Answer:
    """Does one thing, and says how it ended. Blocking."""
    try:
        return {"done": _DOINGS[asked["do"]](asked)}
    except (TooLargeError, MemoryError):
        return {"fault": TOO_LARGE}
    except OSError as error:
        # Decoders raise these, too, but without a number of the system's.
        return {"disk": error.strerror} if error.errno in _OF_THE_DISK else {"fault": Fault.UNREADABLE.value}
    except Exception:  # noqa: BLE001  decoders fail in every way there is
        return {"fault": Fault.UNREADABLE.value}


def _meter() -> Callable[[float], None]:
    told = 0.0

    def progress(share: float) -> None:
        nonlocal told
        if (now := time.monotonic()) - told >= _TELL_EVERY_S:
            told = now
            _say({"share": share})

    return progress


def _say(words: Answer) -> None:
    print(json.dumps(words), flush=True)  # noqa: T201  the answer


def be_modest() -> None:
    """Leaves this computer to others, and Ctrl+C and most of the memory to the app."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the app, which then closes our stdin
    give_way(_NICE)
    limit_memory(MEMORY_BYTES)


def main() -> None:
    """Answers until stdin closes."""
    be_modest()
    for line in sys.stdin:
        _say(answer(json.loads(line)))


if __name__ == "__main__":
    main()
