"""The two cookies: of a visit before sign-in, and of a session.

Both are only sent to this host, over TLS, and not with cross-site requests. They contain random tokens that
mean nothing elsewhere.
"""

import re
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

SESSION: Final = "__Host-kalends-session"
VISIT: Final = "__Host-kalends-visit"

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def read(request: Request, name: str) -> str | None:
    """Return the token in a cookie; None if it's missing or malformed."""
    value = request.cookies.get(name, "")
    return value if _TOKEN.fullmatch(value) else None


def give(response: Response, name: str, token: str) -> None:
    """Set a session cookie."""
    response.set_cookie(name, token, path="/", secure=True, httponly=True, samesite="strict")


def take(response: Response, name: str) -> None:
    """Remove a cookie."""
    response.delete_cookie(name, path="/", secure=True, httponly=True, samesite="strict")
