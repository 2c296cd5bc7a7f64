"""When a calendar may be reopened that nobody asked to reopen: its service started at another address."""

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from app.desktop.shell.main_controller import MainController

_ANSWER_S: Final = 10.0
"""How long carrying out an answer may take, in seconds. Not forever: it may wait for this service."""
_LOOK_S: Final = 0.1


async def until_answered(controller: "MainController") -> None:
    """Wait until nothing is asked in the window, the answers are carried out and all texts are saved.

    Ends early if the calendar closes.
    """
    left_s = _ANSWER_S
    while not controller.is_closed:
        if controller.window.is_asking or controller.workspace.unsaved_texts():
            left_s = _ANSWER_S
        elif controller.is_busy and left_s > 0:
            left_s -= _LOOK_S
        else:
            return
        await asyncio.sleep(_LOOK_S)
