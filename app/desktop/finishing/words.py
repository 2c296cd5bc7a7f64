"""Texts about posts that the user publishes by hand, used in several places."""

from typing import Final

from app.language import tr, trn
from app.workspace.messages import Message, MessageAction

UNFINISH: Final = "unfinish"
"""Takes back the report that a post is published."""


def waiting_words(count: int) -> str:
    """Return how many posts are waiting for the user; "" for none."""
    return trn("{n} post is waiting for you", "{n} posts are waiting for you", count) if count else ""


def finished_message(key: str) -> Message:
    """Return the message that a post counts as published, which can be undone."""
    return Message("info", tr("Marked as published."), action=MessageAction(tr("Undo"), UNFINISH, key))
