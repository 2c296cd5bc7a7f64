"""What the operating system says of a failure."""

import errno
import os

from app.workspace import foreign_texts


def test_known_failures_are_said_in_plain_words() -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert foreign_texts.why(error) == foreign_texts.in_words("No space left on device") == "the disk is full"


def test_others_are_said_as_the_system_does() -> None:
    assert foreign_texts.why(OSError(errno.ELOOP, "Too many Links")) == "too many links"
    assert foreign_texts.why(OSError("No File at all")) == "no file at all"
