"""Traces which functions of the app run, in which order, and who called them."""

import os
import sys
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Final, Self

from tests.architecture.sources import ROOT

_APP: Final = f"{ROOT / 'app'}{os.sep}"


@dataclass(frozen=True, slots=True, order=True)
class Function:
    """A function of the app: the path of its file below the project's folder, and its qualified name."""

    file: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} in {self.file}"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a watched function, with the functions of the app on the stack, innermost first."""

    function: Function
    callers: tuple[Function, ...]


@dataclass
class Record:
    """The calls of watched functions in their order, and every function of the app that ran."""

    calls: list[Call] = field(default_factory=list)
    ran: set[Function] = field(default_factory=set)

    @property
    def files(self) -> set[str]:
        """The files of all functions that ran."""
        return {function.file for function in self.ran}


class Trace:
    """Records calls while it's entered, in this thread and in those that start meanwhile.

    Attributes:
        watched: Functions whose calls are recorded with their callers.
        into: Where calls are recorded; None to record nothing.
    """

    def __init__(self, watched: Collection[Function]) -> None:
        self.watched = frozenset(watched)
        self.into: Record | None = None
        self._functions: dict[CodeType, Function | None] = {}

    def __enter__(self) -> Self:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.into = None
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: Any) -> None:
        record = self.into
        if record is None or event != "call" or (function := self._function(frame.f_code)) is None:
            return
        record.ran.add(function)
        if function in self.watched:
            record.calls.append(Call(function, self._callers(frame)))

    def _callers(self, frame: FrameType) -> tuple[Function, ...]:
        found, caller = [], frame.f_back
        while caller is not None:
            if (function := self._function(caller.f_code)) is not None:
                found.append(function)
            caller = caller.f_back
        return tuple(found)

    def _function(self, code: CodeType) -> Function | None:
        """Return the function that code belongs to; None outside the app.

        Lambdas, comprehensions and inner functions count as the function around them.
        """
        if code not in self._functions:
            function = None
            if code.co_filename.startswith(_APP):
                file = Path(code.co_filename).relative_to(ROOT).as_posix()
                function = Function(file, code.co_qualname.partition(".<locals>")[0])
            self._functions[code] = function
        return self._functions[code]
