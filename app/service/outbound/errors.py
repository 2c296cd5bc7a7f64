"""Why a request to an address that a person named failed, in words for that person.

The words hold nothing of the URL, which may carry secrets, and nothing of this machine.
"""


class OutboundError(Exception):
    """The request failed; the message is a short sentence for a person."""


class AddressRefusedError(OutboundError):
    """The address is not one that may be called; nothing was connected to."""


class PrivateTargetError(AddressRefusedError):
    """The address is private or reserved."""

    def __init__(self) -> None:
        super().__init__("The address is private or reserved. Only public addresses are allowed.")


class OutboundTimeoutError(OutboundError):
    """No whole answer in time. The request may have arrived."""


class OutboundFailedError(OutboundError):
    """No connection, a broken one, or an answer that cannot be taken. The request may have arrived."""
