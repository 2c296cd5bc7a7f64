"""Problems that end a command, with a message for the user who ran it."""

from typing import ClassVar


class CommandProblem(Exception):  # noqa: N818  displayed as is, and not a programming error
    """A command can't continue. The message is one sentence: what happened and what to do.

    Attributes:
        exit_code: The process's exit code, by which other programs can decide what to do.
    """

    exit_code: ClassVar = 1


class FolderInUseProblem(CommandProblem):
    """Another service is using the data folder, possibly not for long."""

    exit_code: ClassVar = 75  # EX_TEMPFAIL of sysexits.h, which Windows doesn't have


class PortProblem(CommandProblem):
    """A port is taken or not allowed; another one may work."""

    exit_code: ClassVar = 69  # EX_UNAVAILABLE
