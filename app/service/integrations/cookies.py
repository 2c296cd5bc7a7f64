"""The two cookies: of a visit, before anybody has signed in, and of a session.

Both are sent to this host alone, over TLS alone, and never along with what other sites ask for. They hold
random tokens, which mean nothing anywhere else.
"""

import re
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

SESSION: Final = "__Host-kalends-session"
VISIT: Final = "__Host-kalends-visit"

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def read(request: Request, name: str) -> str | None:
    """The token in a cookie; None without one, or when it is none of ours."""
    value = request.cookies.get(name, "")
    return value if _TOKEN.fullmatch(value) else None


def give(response: Response, name: str, token: str) -> None:
    """Sets a cookie that the browser forgets when it is closed."""
    response.set_cookie(name, token, path="/", secure=True, httponly=True, samesite="strict")


def take(response: Response, name: str) -> None:
    """Removes a cookie."""
    response.delete_cookie(name, path="/", secure=True, httponly=True, samesite="strict")
