"""Reasons why a command cannot do its work, said to the person who started it."""

from typing import ClassVar


class CommandProblem(Exception):  # noqa: N818  it is shown as it stands, and is no programming error
    """A command cannot go on; the message is one sentence that says what happened and what to do.

    Attributes:
        exit_code: What the program ends with, so that another program can tell what may help.
    """

    exit_code: ClassVar = 1


class FolderInUseProblem(CommandProblem):
    """Another service has the data folder; it may let go of it soon."""

    exit_code: ClassVar = 75  # EX_TEMPFAIL of sysexits.h, which Windows does not have


class PortProblem(CommandProblem):
    """A port is taken or not allowed; another one may do."""

    exit_code: ClassVar = 69  # EX_UNAVAILABLE
