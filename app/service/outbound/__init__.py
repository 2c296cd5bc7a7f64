"""Requests to addresses that people name (webhooks, imports): only public ones, bounded in time and size.

Resolved once, checked, and connected to exactly what was checked; the certificate is checked for the name.
A proxy changes nothing of that: it is asked for the address that was checked, not for the name.
"""

from app.service.outbound.client import Answer, Download, OutboundClient
from app.service.outbound.errors import (
    AddressRefusedError,
    OutboundError,
    OutboundFailedError,
    OutboundTimeoutError,
    PrivateTargetError,
)
from app.service.outbound.policy import OutboundPolicy

__all__ = [
    "AddressRefusedError",
    "Answer",
    "Download",
    "OutboundClient",
    "OutboundError",
    "OutboundFailedError",
    "OutboundPolicy",
    "OutboundTimeoutError",
    "PrivateTargetError",
]
