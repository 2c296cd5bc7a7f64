"""Random secrets that grant access. The database only stores their hashes."""

import hashlib
import secrets

_BYTES = 32


def new_token() -> str:
    """Return 256 random bits as text for a URL or a cookie."""
    return secrets.token_urlsafe(_BYTES)


def hash_of(token: str) -> str:
    """Return the hexadecimal SHA-256. Random tokens need no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()
