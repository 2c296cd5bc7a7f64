"""A screen reader's knowledge of the app, over the accessibility bus that Orca uses.

Run as ``python reader.py``. It answers each line on stdin, a JSON list, with a line of JSON. For each
question, it reads the current tree level by level to find elements and the focus. It only uses events for
what isn't in the tree: announcements and menu entries.
"""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jeepney import (  # type: ignore[import-untyped]
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    Properties,
    new_method_call,
)
from jeepney.bus_messages import message_bus  # type: ignore[import-untyped]
from jeepney.io.blocking import DBusConnection, open_dbus_connection  # type: ignore[import-untyped]

_PATIENCE_S: Final = 60
_DEPTH: Final = 20
_OUTER: Final = 2
"""Outer levels that don't report visibility: the desktop and its programs."""
_ROOT: Final = "/org/a11y/atspi/accessible/root"
_REGISTRY: Final = "org.a11y.atspi.Registry"
_STATES: Final = {
    4: "checked",
    8: "enabled",
    11: "focusable",
    12: "focused",
    22: "selectable",
    23: "selected",
    25: "showing",
    30: "visible",
}
_LABELLED_BY: Final = 2
_EVENTS: Final = ("object:announcement", "object:state-changed:focused")
_ITEMS: Final = ("list item", "table cell", "cell", "tree item")


@dataclass(frozen=True)
class Thing:
    """An element on the bus, its parent, and its states."""

    owner: str
    path: str
    parent: "Thing | None" = None
    states: frozenset[str] = frozenset()

    def outward(self) -> "Iterator[Thing]":
        """Yield its ancestors."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent

    def call(self, interface: str, method: str, signature: str = "", *words: object) -> Message:
        """Return a method call to an element."""
        place = DBusAddress(self.path, self.owner, f"org.a11y.atspi.{interface}")
        return new_method_call(place, method, signature, words)

    def get(self, name: str) -> Message:
        """Return a call that reads a property."""
        return Properties(DBusAddress(self.path, self.owner, "org.a11y.atspi.Accessible")).get(name)


class Bus:
    """Many simultaneous calls, and the announcements meanwhile."""

    def __init__(self) -> None:
        session = open_dbus_connection("SESSION")
        place = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
        answer = session.send_and_get_reply(new_method_call(place, "GetAddress"), timeout=_PATIENCE_S)
        self._line: DBusConnection = open_dbus_connection(answer.body[0])
        self.announced: list[str] = []
        self.came_last: Thing | None = None
        """The last focused element."""
        registry = DBusAddress("/org/a11y/atspi/registry", _REGISTRY, _REGISTRY)
        rule = MatchRule(type="signal", interface="org.a11y.atspi.Event.Object")
        events = [new_method_call(registry, "RegisterEvent", "s", (event,)) for event in _EVENTS]
        self.ask([message_bus.AddMatch(rule)])
        self._await_program()
        self.ask(events)

    def _await_program(self) -> None:
        """Wait until a program is on the bus.

        Qt reads the registered listeners before it watches for new ones, and joins the bus after that. A
        listener that registers in between would never get events.
        """
        root, end = Thing(_REGISTRY, _ROOT), time.monotonic() + _PATIENCE_S
        while not any(self.ask([root.call("Accessible", "GetChildren")])) and time.monotonic() < end:
            time.sleep(0.02)

    def ask(self, questions: Iterable[Message]) -> list[Any]:
        """Return the replies in the order of the calls; None if an element is gone or doesn't reply."""
        serials = []
        for question in questions:
            serials.append(next(self._line.outgoing_serial))
            self._line.send(question, serial=serials[-1])
        answers: dict[int, Any] = {}
        while len(answers) < len(serials):
            self._take(self._line.receive(timeout=_PATIENCE_S), answers)
        return [answers[serial] for serial in serials]

    def _take(self, message: Message, answers: dict[int, Any]) -> None:
        fields = message.header.fields
        if message.header.message_type is MessageType.signal:
            self._hear(fields, message.body)
        elif HeaderFields.reply_serial in fields:
            failed = message.header.message_type is MessageType.error or not message.body
            answers[fields[HeaderFields.reply_serial]] = None if failed else message.body[0]

    def _hear(self, fields: Mapping[HeaderFields, Any], body: Sequence[Any]) -> None:
        member = fields.get(HeaderFields.member)
        if member == "Announcement":
            self.announced.append(str(body[3][1]))
        elif member == "StateChanged" and body[:2] == ("focused", 1):
            self.came_last = Thing(fields[HeaderFields.sender], fields[HeaderFields.path])


class Reader:
    """Answers questions about the screen."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def cards(self) -> list[dict[str, Any]]:
        """Return the cards of the calendar."""
        found = self.everything()
        roles = self._bus.ask(one.call("Accessible", "GetRoleName") for one in found)
        return [self.told(one) for one, role in zip(found, roles, strict=True) if role == "list item"]

    def focus(self) -> dict[str, Any] | None:
        """Return the focused element; for a focused list its item, for a menu its entry."""
        things = [one for one in self.everything() if "focused" in one.states]
        found = dict(zip(things, map(self.told, things), strict=True))
        chosen = [
            told
            for thing, told in found.items()
            if (told["name"] or told["label"]) and self._is_true(thing, found)
        ]
        return self._entry() or (chosen[-1] if chosen else None)

    def _entry(self) -> dict[str, Any] | None:
        """Return the focused menu entry, because menus aren't in the tree."""
        last = self._bus.came_last
        told = self.told(last) if last is not None else None
        there = told is not None and {"focused", "showing"} <= set(told["states"])
        return told if told is not None and there and "menu item" in told["role"] else None

    @staticmethod
    def _is_true(thing: Thing, focused: Mapping[Thing, dict[str, Any]]) -> bool:
        """Whether the focus is real.

        Items report focus even if their list lacks it, or is in a closed box.
        """
        if focused[thing]["role"] not in _ITEMS:
            return True
        roles = [focused[outer]["role"] for outer in thing.outward() if outer in focused]
        return thing.parent in focused and "combo box" not in roles

    def named(self, name: str) -> dict[str, Any] | None:
        """Return the element with a name."""
        found = self.everything()
        names = self._bus.ask(one.get("Name") for one in found)
        return next(
            (self.told(one) for one, told in zip(found, names, strict=True) if told and told[1] == name), None
        )

    def nameless(self) -> list[dict[str, Any]]:
        """Return focusable elements without a name."""
        reachable = [self.told(one) for one in self.everything() if "focusable" in one.states]
        return [one for one in reachable if not (one["name"] or one["label"])]

    def announced(self, since: int) -> list[str]:
        """Return the announcements after the first ``since``, up to this question."""
        self._children([Thing(_REGISTRY, _ROOT)])
        return self._bus.announced[since:]

    def everything(self) -> list[Thing]:
        """Return all visible elements, from the outside in."""
        level, found = [Thing(_REGISTRY, _ROOT)], []
        for depth in range(_DEPTH):
            inner = self._children(level)
            level = [one for one in inner if depth < _OUTER or "showing" in one.states]
            found += level
        return found

    def told(self, thing: Thing) -> dict[str, Any]:
        """Return an element's role, name, position, states, and text, if any."""
        role, name, description, box, text, relations, bits = self._bus.ask(
            [
                thing.call("Accessible", "GetRoleName"),
                thing.get("Name"),
                thing.get("Description"),
                thing.call("Component", "GetExtents", "u", 0),
                thing.call("Text", "GetText", "ii", 0, -1),
                thing.call("Accessible", "GetRelationSet"),
                thing.call("Accessible", "GetState"),
            ]
        )
        return {
            "role": role or "",
            "name": name[1] if name else "",
            "label": self._label(relations or ()),
            "list": self._list(thing),
            "description": description[1] if description else "",
            "place": list(box or ()),
            "states": sorted(_names(bits or (0, 0))),
            "text": text or "",
        }

    def _list(self, thing: Thing) -> str:
        """Return the name of the list whose item has the focus."""
        if thing.parent is None or "focused" not in thing.parent.states:
            return ""
        (name,) = self._bus.ask([thing.parent.get("Name")])
        return name[1] if name else ""

    def _label(self, relations: Sequence[tuple[int, Sequence[tuple[str, str]]]]) -> str:
        """Return the label of an element."""
        labels = [Thing(*place) for kind, places in relations if kind == _LABELLED_BY for place in places]
        return " ".join(name[1] for name in self._bus.ask(one.get("Name") for one in labels) if name)

    def _children(self, parents: Sequence[Thing]) -> list[Thing]:
        children = self._bus.ask(one.call("Accessible", "GetChildren") for one in parents)
        found = [
            Thing(owner, path, parent)
            for parent, places in zip(parents, children, strict=True)
            for owner, path in places or ()
        ]
        states = self._bus.ask(one.call("Accessible", "GetState") for one in found)
        return [
            Thing(one.owner, one.path, one.parent, _names(bits))
            for one, bits in zip(found, states, strict=True)
            if bits
        ]


def _names(bits: Sequence[int]) -> frozenset[str]:
    return frozenset(name for bit, name in _STATES.items() if bits[0] >> bit & 1)


if __name__ == "__main__":
    reader = Reader(Bus())
    for line in sys.stdin:
        question, *more = json.loads(line)
        print(json.dumps(getattr(reader, question)(*more)), flush=True)
