"""Exceptions that are shown as pages."""

from datetime import datetime


class PageRefused(Exception):  # noqa: N818  a page for the user, not a programming error
    """A rejected request. ``words`` tell the user what happened and what to do."""

    def __init__(self, status: int, title: str, words: str) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.words = words


class SignInNeeded(Exception):  # noqa: N818  a redirect, not a programming error
    """The user isn't signed in. ``ended``: the session has ended."""

    def __init__(self, *, ended: bool) -> None:
        super().__init__("nobody is signed in")
        self.ended = ended


def nothing_here() -> PageRefused:
    return PageRefused(404, "There is nothing here", "The address may be mistyped, or the page is gone.")


def unreadable() -> PageRefused:
    return PageRefused(400, "That did not arrive whole", "Go back, reload the page, and try again.")


def foreign() -> PageRefused:
    """Return the rejection of a form that isn't from a page of this browser."""
    return PageRefused(
        403,
        "This form is no longer good",
        "It was open too long, came from another page, or cookies are switched off. "
        "Open the page again and try once more.",
    )


def wait_words(until: datetime, now: datetime) -> str:
    """Format a waiting time for users."""
    seconds = max(1, round((until - now).total_seconds()))
    if seconds < 90:
        return f"{seconds} seconds" if seconds > 1 else "1 second"
    return f"{round(seconds / 60)} minutes"
