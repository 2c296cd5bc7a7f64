"""Random secrets that let somebody in; the store has their hashes alone."""

import hashlib
import secrets

_BYTES = 32


def new_token() -> str:
    """256 random bits, as text that may stand in an address or a cookie."""
    return secrets.token_urlsafe(_BYTES)


def hash_of(token: str) -> str:
    """SHA-256, hexadecimal: nothing slower is needed for what nobody can guess."""
    return hashlib.sha256(token.encode()).hexdigest()
