"""Secrets and signatures: ours, which GitHub-style verifiers take, and those of Standard Webhooks."""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime
from typing import Final

from app.contract.limits import WEBHOOK_SECRET_PREFIX
from app.contract.webhooks import SIGNATURE_PREFIX

_SECRET_BYTES: Final = 32


def new_secret() -> str:
    """``whsec_`` and the base64 of 32 random bytes, which is what Standard Webhooks wants."""
    return WEBHOOK_SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signature(secret: str, body: bytes) -> str:
    """``sha256=`` and the hexadecimal HMAC-SHA256 of the body, keyed with the whole secret as text."""
    return SIGNATURE_PREFIX + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_signature(secret: str, message_id: str, at: datetime, body: bytes) -> str:
    """The ``webhook-signature`` of Standard Webhooks 1.0, keyed with the bytes behind the prefix."""
    key = base64.b64decode(secret.removeprefix(WEBHOOK_SECRET_PREFIX))
    signed = f"{message_id}.{unix_seconds(at)}.".encode() + body
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def unix_seconds(at: datetime) -> int:
    """Whole seconds since 1970, as ``webhook-timestamp`` has them."""
    return int(at.timestamp())
