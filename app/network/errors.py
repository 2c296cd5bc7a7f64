"""Proxy errors. Their messages contain no password and no user name."""

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
    Fault.UNREACHED: "The proxy could not be reached.",
    Fault.REFUSED: "The proxy did not accept the name or the password.",
    Fault.SIGN_IN_UNKNOWN: "The proxy asks for a way of signing in that is not known here.",
    Fault.FORBIDDEN: "The proxy does not lead there.",
    Fault.NOT_BEHIND: "The proxy could not reach the address.",
    Fault.NO_PROXY: "What answers at the proxy's address is no proxy of this kind.",
    Fault.UNTRUSTED: "The proxy's certificate is not trusted or not for its name.",
    Fault.UNREADABLE: "The system's proxy address is not understood.",
}


class ProxyError(OSError):
    """The proxy failed, and nothing was sent to the destination. An OSError, so callers handle it as such.

    ``said``: the proxy's status, such as ``407``; "" if there was none.
    """

    def __init__(self, fault: Fault, said: str = "") -> None:
        super().__init__(_WORDS[fault])
        self.fault = fault
        self.said = said
