"""What a screen reader knows of the app, by the bus that Orca uses.

Run by the system's Python, which has the bindings: ``python3 reader.py`` answers each line on stdin, a JSON
list, with a line of JSON.
"""

import json
import sys
import warnings
from collections.abc import Iterator
from typing import Any

warnings.simplefilter("ignore")
import gi  # type: ignore[import-not-found]  # noqa: E402

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # type: ignore[import-not-found]  # noqa: E402

_DEPTH = 20
_heard: list[str] = []
"""What the app announced since it was last asked for."""
_focused: list[Any] = []
"""What got the focus last, by the events that a screen reader follows."""


def everything(parent: Any = None, depth: int = 0) -> Iterator[Any]:
    """Every thing on the screen that is shown, from the outside in."""
    parent = parent or Atspi.get_desktop(0)
    for number in range(parent.get_child_count()):
        child = parent.get_child_at_index(number)
        if child is None or depth > _DEPTH:
            continue
        states = child.get_state_set()
        if depth < 2 or states.contains(Atspi.StateType.SHOWING):
            yield child
            yield from everything(child, depth + 1)


def told(thing: Any) -> dict[str, Any]:
    """What is told of a thing: role, name, place on the screen, states, and its text where it has one."""
    box = thing.get_extents(Atspi.CoordType.SCREEN)
    states = [state.value_nick for state in thing.get_state_set().get_states()]
    text = thing.get_text_iface()
    return {
        "role": thing.get_role_name(),
        "name": thing.get_name(),
        "description": thing.get_description(),
        "place": [box.x, box.y, box.width, box.height],
        "states": states,
        "text": Atspi.Text.get_text(text, 0, -1) if text else "",
    }


def cards() -> list[dict[str, Any]]:
    """The cards of the calendar."""
    return [told(one) for one in everything() if one.get_role_name() == "list item"]


def focus() -> dict[str, Any] | None:
    """What has the focus; of a list with the focus the card in it."""
    _hear()
    try:
        found = told(_focused[-1]) if _focused else None
    except GLib.Error:  # it is gone, and nothing has the focus after it
        return None
    return found if found and "showing" in found["states"] else None


def named(name: str) -> dict[str, Any] | None:
    """The thing with a name."""
    return next((told(one) for one in everything() if one.get_name() == name), None)


def nameless() -> list[dict[str, Any]]:
    """What can have the focus but does not say what it is."""
    reachable = (one for one in everything() if one.get_state_set().contains(Atspi.StateType.FOCUSABLE))
    return [told(one) for one in reachable if not one.get_name()]


def announced() -> list[str]:
    """What was announced since this was last asked."""
    _hear()
    said, _heard[:] = _heard[:], []
    return said


def _hear() -> None:
    """Takes in every event that the app has sent until now: they come before its answer to a question."""
    frame = Atspi.get_desktop(0).get_child_at_index(0).get_child_at_index(0)
    frame.get_extents(Atspi.CoordType.SCREEN)
    context = GLib.MainContext.default()
    while context.pending():
        context.iteration(False)


def _note(event: Any) -> None:
    if event.type.startswith("object:announcement"):
        _heard.append(str(event.any_data))
    elif event.detail1:
        _focused[:] = [event.source]


ANSWERS = {
    "cards": cards,
    "focus": focus,
    "named": named,
    "nameless": nameless,
    "announced": announced,
}

if __name__ == "__main__":
    Atspi.set_timeout(60_000, 60_000)  # the machine may be slow
    listener = Atspi.EventListener.new(_note)
    for kind in ("object:announcement", "object:state-changed:focused"):
        listener.register(kind)
    for line in sys.stdin:
        question, *more = json.loads(line)
        print(json.dumps(ANSWERS[question](*more)), flush=True)  # type: ignore[operator]
