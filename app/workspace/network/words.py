"""What a proxy did wrong, and what to do, in a sentence or two."""

from typing import Final

from app.language import tr
from app.network import Fault

FAULTS: Final = {
    Fault.UNREACHED: tr("The proxy was not reached. Check its address and port, and the network."),
    Fault.REFUSED: tr("The proxy refused the name or the password. Check both."),
    Fault.SIGN_IN_UNKNOWN: tr(
        "The proxy asks for a way of signing in that Kalends does not know, such as NTLM or Kerberos. "
        "Kalends signs in with a name and a password (Basic)."
    ),
    Fault.FORBIDDEN: tr("The proxy was reached, but its rules do not let Kalends through to the service."),
    Fault.NOT_BEHIND: tr("The proxy was reached, but it does not reach the service behind it."),
    Fault.NO_PROXY: tr("What answers there is not a proxy of this kind. Check the address and the port."),
    Fault.UNTRUSTED: tr("The proxy's certificate is not one that this computer trusts."),
    Fault.UNREADABLE: tr("This computer names a proxy in a form that Kalends does not understand."),
}


def words_of(fault: Fault, said: str) -> str:
    """The same with what the proxy itself answered, such as 407."""
    return tr("{what} It answered {status}.", what=FAULTS[fault], status=said) if said else FAULTS[fault]
