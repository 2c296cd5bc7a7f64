"""Requests to user-provided URLs (webhooks, imports): public addresses only, limited in time and size.

A name is resolved once, checked, and connected to exactly as checked; the certificate is verified for the
name. With a proxy, the same holds: it gets the checked address instead of the name.
"""

from app.service.outbound.client import OutboundClient
from app.service.outbound.policy import (
    AddressRefusedError,
    Answer,
    Download,
    OutboundError,
    OutboundFailedError,
    OutboundPolicy,
    OutboundTimeoutError,
    PrivateTargetError,
)

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
