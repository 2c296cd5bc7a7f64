"""Explains a proxy's error, and what to do, in a sentence or two."""

from typing import Final

from app.language import tr
from app.network import Fault

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
