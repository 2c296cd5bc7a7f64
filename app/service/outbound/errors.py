"""Why a request to a user-provided URL failed, in messages for that user.

The messages contain no part of the URL, which may contain secrets, and nothing about this machine.
"""


class OutboundError(Exception):
    """The request failed. The message is a short sentence for the user."""


class AddressRefusedError(OutboundError):
    """The address may not be called. Nothing was connected to."""


class PrivateTargetError(AddressRefusedError):
    """The address is private or reserved."""

    def __init__(self) -> None:
        super().__init__("The address is private or reserved. Only public addresses are allowed.")


class OutboundTimeoutError(OutboundError):
    """No complete response in time. The request may have arrived."""


class OutboundFailedError(OutboundError):
    """No connection, a broken one, or an unacceptable response. The request may have arrived."""
