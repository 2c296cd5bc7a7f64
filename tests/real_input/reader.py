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
from gi.repository import Atspi  # type: ignore[import-not-found]  # noqa: E402

_DEPTH = 14


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
        "place": [box.x, box.y, box.width, box.height],
        "states": states,
        "text": Atspi.Text.get_text(text, 0, -1) if text else "",
    }


def cards() -> list[dict[str, Any]]:
    """The cards of the calendar."""
    return [told(one) for one in everything() if one.get_role_name() == "list item"]


def focus() -> dict[str, Any] | None:
    """What has the focus; of a list with the focus the card in it."""
    focused = [one for one in everything() if one.get_state_set().contains(Atspi.StateType.FOCUSED)]
    spoken = [one for one in focused if one.get_name()]
    return told(spoken[-1]) if spoken else None


def named(name: str) -> dict[str, Any] | None:
    """The thing with a name."""
    return next((told(one) for one in everything() if one.get_name() == name), None)


ANSWERS = {"cards": cards, "focus": focus, "named": named}

if __name__ == "__main__":
    for line in sys.stdin:
        question, *more = json.loads(line)
        print(json.dumps(ANSWERS[question](*more)), flush=True)  # type: ignore[operator]
