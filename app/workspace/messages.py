"""Texts for the user: messages come by themselves, problems are errors of a request."""

from dataclasses import dataclass
from typing import Literal

MessageKind = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class MessageAction:
    """A button: its words, what it does (``verb``), and to what (``subject``, for example a post's key)."""

    label: str
    verb: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence or two; ``details`` are shown on request and contain the request ID, if any.

    With an ``other`` action it's a question, and stays until it's answered or closed. ``about`` names a
    recurring problem: a newer message about it replaces the older one. ``dismiss`` is the label of the button
    that closes it; "" for a cross.
    """

    kind: MessageKind
    text: str
    details: str = ""
    action: MessageAction | None = None
    other: MessageAction | None = None
    about: str = ""
    dismiss: str = ""


class Problem(Exception):  # noqa: N818  a word for people, like the sentence it carries
    """A request failed. ``text`` says what happened and what to do.

    ``kind`` is the cause, for code: ``failed`` if nothing more specific is known.
    """

    def __init__(self, text: str, *, details: str = "", kind: str = "failed") -> None:
        super().__init__(text)
        self.text = text
        self.details = details
        self.kind = kind

    def message(self) -> Message:
        """Return it as a message."""
        return Message("error", self.text, self.details)
