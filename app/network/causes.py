"""What a connection broke with, of which a library's error tells only at the end of its causes."""


def causes_of(error: BaseException) -> list[BaseException]:
    """An error, what led to it, and so on to the first one; each of them once."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found
