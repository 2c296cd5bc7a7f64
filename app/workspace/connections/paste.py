"""Finishes a flow by hand, with the final URL of a browser that couldn't come back by itself."""

from urllib.parse import SplitResult, parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

from app.language import tr
from app.workspace.messages import Problem

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_CARRIED = ("code", "state", "error", "error_description", "scope")
_ADDRESS_MAX = 8_192


def require_address(address: str) -> SplitResult:
    """Parse a pasted URL. Raises Problem if it's invalid."""
    try:
        return urlsplit(address.strip()[:_ADDRESS_MAX])
    except ValueError as error:
        raise Problem(tr("That isn't an address. Copy the whole address."), kind="paste") from error


def require_answer(address: str, *, connect_url: str) -> dict[str, str]:
    """Return the platform's response in the URL, which must belong to this attempt. Raises Problem."""
    pasted = query_of(address)
    asked = query_of(connect_url)
    if not ({"code", "error"} & pasted.keys()):
        raise Problem(
            tr("This address doesn't contain the platform's response. Copy the whole address."), kind="paste"
        )
    if "state" in asked and pasted.get("state") != asked["state"]:
        raise Problem(
            tr("This address belongs to another attempt. Open the page again from here."), kind="paste"
        )
    return pasted


def callback_for(address: str, *, connect_url: str, base_url: str, landing: str) -> str:
    """Return the URL to call with the pasted response, for a service that doesn't accept pasted URLs.

    It's the callback named in ``connect_url``, which must be the app's own ``landing`` or on the service's
    host. Only the code and the state are taken from the pasted URL. Raises Problem.
    """
    pasted = require_answer(address, connect_url=connect_url)
    callback = query_of(connect_url).get("redirect_uri", "")
    if not _is_trusted(callback, base_url, landing):
        raise Problem(
            tr("You can't finish this connection by hand: it doesn't return to the service."), kind="paste"
        )
    parts = urlsplit(callback)
    query = parse_qsl(parts.query) + [(name, pasted[name]) for name in _CARRIED if name in pasted]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def query_of(address: str) -> dict[str, str]:
    """Return the first value of every query field of a URL. Raises Problem if it's too long."""
    if len(address) > _ADDRESS_MAX:
        raise Problem(tr("This is too long for an address. Copy only the address."), kind="paste")
    try:
        values = parse_qs(urlsplit(address.strip()).query)
    except ValueError:
        return {}
    return {name: given[0] for name, given in values.items()}


def _is_trusted(callback: str, base_url: str, landing: str) -> bool:
    """Whether the app may call a URL named by the service.

    Other programs on this computer listen on loopback and trust every caller there. So a service elsewhere
    may only name the app's own landing; one on this computer may name any port of its host.
    """
    try:
        there, service, own = urlsplit(callback), urlsplit(base_url), urlsplit(landing)
        is_same_port = there.scheme == "https" and there.port == service.port
    except ValueError:
        return False
    if there.username is not None or there.password is not None:
        return False
    is_landing = (there.scheme, there.netloc, there.path) == (own.scheme, own.netloc, own.path)
    is_plain_here = there.scheme == "http" and there.hostname in _LOOPBACK
    return is_landing or (there.hostname == service.hostname and (is_same_port or is_plain_here))
