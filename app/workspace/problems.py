"""Texts for all errors: what happened, and what to do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from app.client import (
    AccessEnded,
    AnswerNotUnderstood,
    CertificateRejected,
    ClientError,
    EnvelopeMissing,
    Forbidden,
    NotFound,
    ProxyFailed,
    RateLimited,
    ServerFailed,
    ServiceAnswered,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
    ValidationRefused,
)
from app.database import (
    DatabaseDamagedError,
    DatabaseError,
    DatabaseNewerError,
    DatabaseUnreachableError,
    DiskFullError,
)
from app.language import tr
from app.network import Fault
from app.workspace.foreign_texts import in_own_language
from app.workspace.messages import Problem

FAULTS: Final = {
    Fault.UNREACHED: tr("Couldn't reach the proxy. Check its address and port, and your network."),
    Fault.REFUSED: tr("The proxy rejected the username or password. Check both."),
    Fault.SIGN_IN_UNKNOWN: tr(
        "The proxy requires a sign-in method Kalends doesn't support, such as NTLM "
        "or Kerberos. Kalends supports username and password (Basic)."
    ),
    Fault.FORBIDDEN: tr("The proxy's rules block access to the service."),
    Fault.NOT_BEHIND: tr("The proxy works, but it can't reach the service."),
    Fault.NO_PROXY: tr("There is no proxy of this type at that address. Check the address and port."),
    Fault.UNTRUSTED: tr("This computer doesn't trust the proxy's certificate."),
    Fault.UNREADABLE: tr("This computer's proxy setting has a format Kalends doesn't support."),
}


def words_of(fault: Fault, said: str) -> str:
    """Add the proxy's own response, such as 407."""
    return (
        tr("{what} It responded with {status}.", what=FAULTS[fault], status=said) if said else FAULTS[fault]
    )


_WORDS: dict[type[ClientError], tuple[str, str]] = {
    CertificateRejected: (
        "certificate",
        tr("The service's certificate isn't the trusted one, so nothing was sent. Check the address."),
    ),
    ServiceUnreachable: (
        "unreachable",
        tr(
            "The service can't be reached. Check your network and the address. Your "
            "changes will be sent when it's back."
        ),
    ),
    TimedOut: (
        "timeout",
        tr("The service didn't respond in time. Your changes are saved and will be sent again."),
    ),
    AnswerNotUnderstood: (
        "not_understood",
        tr("Kalends doesn't understand the service's response. Check the service address."),
    ),
    Unauthorized: (
        "key_refused",
        tr(
            "The service rejected the API key. Changes aren't sent, and posts may not be published, "
            "until you enter a new key or renew the subscription."
        ),
    ),
    AccessEnded: ("access_ended", tr("Access has expired. Reconnect the account.")),
    Forbidden: ("forbidden", tr("The service doesn't allow this.")),
    NotFound: ("not_found", tr("The service no longer has this.")),
    ValidationRefused: ("refused", tr("The service rejected this.")),
    RateLimited: (
        "rate_limited",
        tr("The service is rate limiting requests. Your changes are saved and will be sent again."),
    ),
    EnvelopeMissing: (
        "not_from_service",
        tr(
            "A proxy or another program answered instead of the service. Your changes are saved and will "
            "be sent again. If this continues, check the service address."
        ),
    ),
    ServerFailed: (
        "server_failed",
        tr("The service had an internal error. Your changes are saved and will be sent again."),
    ),
}
_QUOTING: dict[type[ClientError], str] = {
    Forbidden: "{reason}.",  # a whole sentence, such as that there isn't enough storage
    ValidationRefused: tr("The service rejected this: {reason}."),
}
"""The texts if the service gives a reason."""
_SENTENCE_WORDS: Final = 3
"""Fewer words, such as "Access denied", don't tell by themselves that it's the service that refuses."""

_OF_DATABASES: dict[type[DatabaseError], str] = {
    DatabaseDamagedError: tr(
        "{name} is damaged. Restore it from a backup, and keep the damaged file until then."
    ),
    DiskFullError: tr(
        "Couldn't write {name}: the disk is full or not writable. Free up space; "
        "nothing saved earlier is lost."
    ),
    DatabaseUnreachableError: tr(
        "Couldn't open {name}. Check that it's a file, and that it and its folder are writable."
    ),
    DatabaseNewerError: tr(
        "{name} was created by a newer version of Kalends. Install that version, or choose another file."
    ),
}
"""The texts of ``app.database`` for files, in the user's language, because the service uses them too."""

_NOT_KEPT = {
    "unreachable": tr("The service can't be reached. Check your network, then try again."),
    "timeout": tr("The service didn't respond in time. Try again."),
    "rate_limited": tr("The service is rate limiting requests. Try again in a minute."),
    "server_failed": tr("The service had an internal error. Try again later."),
    "not_from_service": tr(
        "A proxy or another program answered instead of the service. Try again later, or check the "
        "service address."
    ),
}
"""The texts for requests that are done immediately or not at all, by kind."""


_SCOPE: Final = re.compile(r"\bscope\b")
"""In the reason for refusing a key that may only read."""


@contextmanager
def as_problem(not_found: str = "") -> Iterator[None]:
    """Raise errors of the client or the database as a Problem, for work that isn't sent later.

    ``not_found`` is the text for a 404; without it the text is a general one.
    """
    try:
        yield
    except NotFound as error:
        raise (Problem(not_found, kind="not_found") if not_found else problem_of_request(error)) from error
    except (ClientError, DatabaseError) as error:
        raise problem_of_request(error) from error


def problem_of(error: Exception) -> Problem:
    """Return the problem for an error of the client or the database; other errors get a general text."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, DatabaseError):
        kind = {DatabaseDamagedError: "damaged", DiskFullError: "disk_full"}.get(type(error), "failed")
        words = _OF_DATABASES.get(type(error)) if error.name else None
        return Problem(words.format(name=error.name) if words else str(error), kind=kind)
    if isinstance(error, ProxyFailed):
        words = tr("{what} You can change it in Settings, Network.", what=FAULTS[error.fault])
        return Problem(words, details=details_of(error), kind="proxy")
    for cause in type(error).__mro__:
        if cause in _WORDS:
            kind, words = _WORDS[cause]
            return Problem(_quoting(cause, error) or words, details=details_of(error), kind=kind)
    return Problem(tr("An unexpected error occurred."), details=type(error).__name__)


def problem_of_request(error: Exception) -> Problem:
    """Like ``problem_of``, for requests that are done immediately or not at all."""
    problem = problem_of(error)
    return Problem(_NOT_KEPT.get(problem.kind, problem.text), details=problem.details, kind=problem.kind)


def reason_of(error: ServiceAnswered) -> str:
    """Return the service's words for a refusal, without a full stop.

    It's "" without one in the app's language.
    """
    issues = error.issues if isinstance(error, ValidationRefused) else []
    told = error.message if error.code else ""  # without a code it is the client's own words
    said = [in_own_language(one) for one in dict.fromkeys(issue.message for issue in issues)]
    if not issues:
        said = [in_own_language(told)]
    return " ".join("; ".join(one.rstrip(".") for one in said if one).split())[:400]


def details_of(error: Exception) -> str:
    """Return technical details for a report, and the request ID, if any."""
    request_id = error.request_id if isinstance(error, ClientError) else None
    if not request_id:
        return str(error)
    told = tr("Request ID: {id}", id=request_id)
    return f"{error}\n{told}"


def _quoting(cause: type[ClientError], error: Exception) -> str:
    """The text with the service's reason; "" if that's missing or unusable."""
    if isinstance(error, Forbidden) and _SCOPE.search(error.message):
        return tr("This API key doesn't allow that. Enter one with full access in Settings.")
    said = reason_of(error) if isinstance(error, ServiceAnswered) else ""
    if not said or cause not in _QUOTING:
        return ""
    is_sentence = len(said.split()) >= _SENTENCE_WORDS
    return (_QUOTING[cause] if is_sentence else tr("The service rejected this: {reason}.")).format(
        reason=said
    )
