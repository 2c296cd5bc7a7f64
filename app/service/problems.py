"""Reasons why a command cannot do its work, said to the person who started it."""


class CommandProblem(Exception):  # noqa: N818  it is shown as it stands, and is no programming error
    """A command cannot go on; the message is one sentence that says what happened and what to do."""
