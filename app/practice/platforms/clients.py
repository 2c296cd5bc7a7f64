"""Client authentication at token endpoints."""

import base64
import binascii

from fastapi import Request


def basic_client(request: Request) -> tuple[str, str]:
    """Return ID and secret from the Basic header; both empty if there is none."""
    scheme, _, encoded = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return "", ""
    try:
        name, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, secret
