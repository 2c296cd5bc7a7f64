"""Proxy errors, and the causes of connection errors. No message contains a password or a user name."""

from enum import StrEnum


class Fault(StrEnum):
    """Kind of proxy failure, as far as the client can tell."""

    UNREACHED = "unreached"
    """The proxy didn't respond."""
    REFUSED = "refused"
    """The proxy requires credentials, or rejected these."""
    SIGN_IN_UNKNOWN = "sign_in_unknown"
    """The proxy requires an unsupported authentication method, such as NTLM or Kerberos."""
    FORBIDDEN = "forbidden"
    """The proxy's rules forbid this destination."""
    NOT_BEHIND = "not_behind"
    """The proxy responded but couldn't reach the destination."""
    NO_PROXY = "no_proxy"
    """The server isn't a proxy."""
    UNTRUSTED = "untrusted"
    """The TLS certificate of the proxy isn't trusted by this computer."""
    UNREADABLE = "unreadable"
    """The proxy in the system settings has an invalid format."""


_WORDS = {
    Fault.UNREACHED: "The proxy couldn't be reached.",
    Fault.REFUSED: "The proxy rejected the user name or password.",
    Fault.SIGN_IN_UNKNOWN: "The proxy requires an unsupported authentication method.",
    Fault.FORBIDDEN: "The proxy doesn't allow this destination.",
    Fault.NOT_BEHIND: "The proxy couldn't reach the address.",
    Fault.NO_PROXY: "The server at the proxy's address isn't a proxy of this type.",
    Fault.UNTRUSTED: "The proxy's certificate isn't trusted, or isn't for its name.",
    Fault.UNREADABLE: "The system's proxy address is invalid.",
}


class ProxyError(OSError):
    """The proxy failed, and nothing was sent to the destination. An OSError, so callers handle it as such.

    ``said``: the proxy's status, such as ``407``; "" if there was none.
    """

    def __init__(self, fault: Fault, said: str = "") -> None:
        super().__init__(_WORDS[fault])
        self.fault = fault
        self.said = said


def causes_of(error: BaseException) -> list[BaseException]:
    """Return an error and all of its causes, each once."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found
