"""Texts of the pages and messages of a browser flow."""

from collections.abc import Sequence
from typing import Final

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.cards import CARDS, name_of

DENIED: Final = "You didn't allow access, so nothing was connected. You can start again at any time."
EXPIRED: Final = "This took longer than 15 minutes, so nothing was connected. Start again."
INTERRUPTED: Final = "The service restarted before this was finished, so nothing was connected. Start again."
BROKEN: Final = "Something went wrong in the service, so nothing was connected. Start again."
UNKNOWN: Final = "This address doesn't belong to a connection in progress. Start again."
INCOMPLETE: Final = "This address is incomplete. Copy the whole address, or start again."
CANCELLED: Final = "You cancelled this in Kalends, so nothing was connected. You can start again at any time."
CALLED_OFF: Final = "You didn't choose an account, so nothing was connected. You can start again at any time."
CHOOSE: Final = "Kalends has access to several accounts. Choose which ones to connect."
NOTHING_CHOSEN: Final = "Choose at least one account."

_AGAIN: Final = frozenset({FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.AMBIGUOUS})

_LONGEST_QUOTE = 300
_MOST_NAMED = 4


def refused(platform: ConnectionPlatform, reason: str) -> str:
    """Return a message with the platform's own reason."""
    quoted = reason[:_LONGEST_QUOTE].rstrip(".")
    return f"{name_of(platform)} refused: {quoted}. Nothing was connected. Start again."


def failed(platform: ConnectionPlatform, error: PlatformError) -> str:
    """Explain why the platform denied access: what happened, what to do, and its own message."""
    name, said = name_of(platform), error.message[:_LONGEST_QUOTE]
    if error.kind in _AGAIN:
        quoted = said.rstrip(".") if name in said else f"{name} said: {said.rstrip('.')}"
        return f"{quoted}. Nothing was connected. Start again in a few minutes."
    if error.cause is Cause.APP:
        return (
            f"{name} rejected the app that Kalends uses there, so nothing was connected."
            f" Check the app's keys in Kalends, then start again. {name} said: {said}"
        )
    return refused(platform, error.message)


def no_account(platform: ConnectionPlatform) -> str:
    """Explain that a consent covered nothing that can be connected."""
    card = CARDS[platform]
    return (
        f"{card.name} didn't give Kalends access to any account. Start again and choose {card.consent_opens}."
    )


def connected(names: Sequence[str], platform: ConnectionPlatform) -> str:
    """Name the connected accounts, at least one."""
    verb = "is" if len(names) == 1 else "are"
    return f"{_listed(names)} on {name_of(platform)} {verb} connected."


def another_account(expected: str, offered: Sequence[str], platform: ConnectionPlatform) -> str:
    """Explain that a different account gave its consent."""
    name = name_of(platform)
    granted = (
        f"gave access to {_listed(offered)} instead of {expected}"
        if offered
        else f"didn't give access to {expected}"
    )
    return f"{name} {granted}. Nothing was changed. Sign in to {name} as {expected}, then start again."


def _listed(names: Sequence[str]) -> str:
    """Join names for display; of many, only the first ones and the number of others."""
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
