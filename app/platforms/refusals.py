"""What a platform's answer means when it is not the one that was hoped for."""

from app.platforms.base import FailureKind, PlatformError
from app.platforms.http import Answer


def kind_of(answer: Answer) -> FailureKind:
    """What the status alone says.

    A creating call is surely refused only by a 4xx: after any other answer the post may exist.
    """
    match answer.status:
        case 401:
            return FailureKind.AUTH_EXPIRED
        case 402:
            return FailureKind.QUOTA
        case 403:
            return FailureKind.PERMISSION
        case 429:
            return FailureKind.RATE_LIMITED
        case status if 400 <= status < 500 and status != 408:
            return FailureKind.INVALID
    return FailureKind.TRANSIENT if answer.call.creating is None else FailureKind.AMBIGUOUS


def retry_after(answer: Answer) -> float | None:
    """Seconds that the standard header asks to wait."""
    value = answer.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() and len(value) < 8 else None


def unexpected(answer: Answer, name: str) -> PlatformError:
    """For a success whose body is not what it should be; after a creating call the post may exist."""
    kind = FailureKind.TRANSIENT if answer.call.creating is None else FailureKind.AMBIGUOUS
    return PlatformError(
        kind, "unexpected_answer", f"{name} answered {answer.status} with something that could not be read."
    )


def no_address(name: str) -> PlatformError:
    """For a platform that names no address, or none of its own, where a file should go."""
    return PlatformError(FailureKind.TRANSIENT, "upload_address", f"{name} named no address for the file.")
