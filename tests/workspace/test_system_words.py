"""What the operating system says of a failure."""

import errno
import os

from app.workspace import system_words


def test_known_failures_are_said_in_lower_case() -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert system_words.why(error) == os.strerror(errno.ENOSPC).lower()


def test_others_are_said_as_the_system_does() -> None:
    assert system_words.why(OSError(errno.ELOOP, "Too many Links")) == "too many links"
    assert system_words.why(OSError("No File at all")) == "no file at all"
