"""A program that answers questions about itself.

Each line on stdin is a JSON list with a question and arguments. Answers are lines of JSON on stdout, which
nothing else uses: output of a browser that the program opens goes to the log.
"""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from PySide6.QtGui import QCursor


class Questioned:
    """Questions to a program: every public method is one."""

    def answer(self, question: list[Any]) -> object:
        """Return the answer, or an awaitable for it."""
        asked: Callable[..., object] = getattr(self, question[0])
        return asked(*question[1:])

    async def settle(self) -> None:
        """Return when all key presses and clicks sent to the screen have been handled."""
        for _ in range(3):
            QCursor.pos()  # asks the screen, whose answer comes after what it has told before
            await asyncio.sleep(0.005)


def answer_questions(questioned: Questioned, stop: asyncio.Event) -> Callable[[object], None]:
    """Answer questions until stdin ends, which sets ``stop``. Returns a function that prints one line."""
    loop, waiting = asyncio.get_running_loop(), set[asyncio.Task[None]]()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # programs started from here inherit the log as their stdout

    def say(what: object) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    async def wait(answer: Awaitable[object]) -> None:
        say(await answer)

    def answer(question: list[Any]) -> None:
        found = questioned.answer(question)
        if isinstance(found, Awaitable):
            waiting.add(task := loop.create_task(wait(found)))
            task.add_done_callback(waiting.discard)
        else:
            say(found)

    def listen() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(answer, json.loads(line))
        loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=listen, daemon=True).start()
    return say
