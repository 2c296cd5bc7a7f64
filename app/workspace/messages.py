"""How the workspace speaks to a person: messages come by themselves, problems answer what was asked."""

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
    """A sentence or two; ``details`` is for those who ask, and holds the request id where there is one.

    With an ``other`` action it is a question, and stays until it is answered or closed. ``about`` names a
    trouble that comes and goes: a newer message about it takes the place of an older one. ``dismiss`` is the
    label of the button that closes it; "" for a cross.
    """

    kind: MessageKind
    text: str
    details: str = ""
    action: MessageAction | None = None
    other: MessageAction | None = None
    about: str = ""
    dismiss: str = ""


class Problem(Exception):  # noqa: N818  a word for people, like the sentence it carries
    """What was asked could not be done. ``text`` says what happened and what to do.

    ``kind`` names the cause for code: ``failed`` unless something better is known.
    """

    def __init__(self, text: str, *, details: str = "", kind: str = "failed") -> None:
        super().__init__(text)
        self.text = text
        self.details = details
        self.kind = kind

    def message(self) -> Message:
        """The same as a message."""
        return Message("error", self.text, self.details)
