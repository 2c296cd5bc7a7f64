"""Reading forms, only from our own pages in the same browser."""

import hashlib
import hmac
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from app.service.api.bodies import BodyTooLongError, BodyTooSlowError, read_body
from app.service.integrations.refusals import foreign, unreadable

FORM_BYTES_MAX: Final = 32 * 1024
_FIELDS_MAX = 20
_TYPE = "application/x-www-form-urlencoded"


def form_token(cookie: str) -> str:
    """Return the token for the forms of a cookie's holder. Other sites can't know it."""
    return hmac.new(cookie.encode(), b"form", hashlib.sha256).hexdigest()


def origin_of(request: Request) -> str:
    """Return the origin that the browser used, such as ``https://127.0.0.1:8443``."""
    return f"{request.url.scheme}://{request.url.netloc}"


async def read_form(request: Request, cookie: str | None) -> dict[str, str]:
    """Return the fields of a form that was created for the holder of ``cookie``.

    Raises PageRefused: 403 for a form from elsewhere, 400 for an invalid form.
    """
    _require_own_origin(request)
    fields = _parse(await _read_bytes(request))
    if cookie is None or not hmac.compare_digest(
        fields.pop("form_token", "").encode(), form_token(cookie).encode()
    ):
        raise foreign()
    return fields


def _require_own_origin(request: Request) -> None:
    """Require that the form came from our own page. All browsers send the origin of a POST."""
    if request.headers.get("origin") != origin_of(request):
        raise foreign()
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise foreign()


async def _read_bytes(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise unreadable()
    try:
        return await read_body(request, FORM_BYTES_MAX)
    except (BodyTooLongError, BodyTooSlowError):
        raise unreadable() from None


def _parse(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_FIELDS_MAX
        )
    except ValueError:  # includes invalid ASCII and UTF-8
        raise unreadable() from None
    return dict(pairs)
