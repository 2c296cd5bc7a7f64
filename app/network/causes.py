"""The underlying cause of a connection error, which libraries hide in a chain of exceptions."""


def causes_of(error: BaseException) -> list[BaseException]:
    """Return an error and all of its causes, each once."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found
