"""Why a proxy did not lead anywhere. The words hold no password and no name."""

from enum import StrEnum


class Fault(StrEnum):
    """What happened, as far as it can be told from this side."""

    UNREACHED = "unreached"
    """The proxy itself did not answer."""
    REFUSED = "refused"
    """It wants a name and a password, or others than these."""
    SIGN_IN_UNKNOWN = "sign_in_unknown"
    """It wants a way of signing in that is not known here, such as NTLM or Kerberos."""
    FORBIDDEN = "forbidden"
    """It does not lead there: its own rules."""
    NOT_BEHIND = "not_behind"
    """It answered, and did not reach what lies behind it."""
    NO_PROXY = "no_proxy"
    """What answered does not speak as a proxy does."""
    UNTRUSTED = "untrusted"
    """Its certificate, where it is spoken to in TLS, is not one that this computer trusts."""
    UNREADABLE = "unreadable"
    """The system names a proxy in a form that is not understood."""


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
    """Nothing was sent to where it should have gone. An OSError, so that it is handed on like any other.

    ``said``: the proxy's own status, such as ``407``; "" where it said nothing.
    """

    def __init__(self, fault: Fault, said: str = "") -> None:
        super().__init__(_WORDS[fault])
        self.fault = fault
        self.said = said
