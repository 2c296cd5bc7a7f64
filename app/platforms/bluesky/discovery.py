"""From a handle to the servers of an account: that of its posts, and the one that issues tokens.

See atproto.com/specs/oauth, "Identity authentication". Every address comes from someone else, so the guard of
outgoing calls checks each, and responses are bounded like those of all platforms.
"""

import re
from typing import Annotated, Final, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field

from app.platforms.adapters import SignInFault
from app.platforms.base import FailureKind, PlatformError
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, plain_words
from app.platforms.rest import RestApi, kind_of, web_address

Did = Annotated[str, Field(pattern=r"^did:[a-z]+:[A-Za-z0-9._:%-]{1,500}$")]
_DEFAULT_DOMAIN: Final = "bsky.social"
_UNSEEN: Final = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
"""Bluesky puts such characters around handles, and they're copied along."""
_WEB_DID: Final = re.compile(r"did:web:((?:[a-z0-9-]+\.)+[a-z]{2,63})", re.ASCII)
_HOST: Final = re.compile(r"[a-z0-9.-]{1,253}(?::[0-9]{1,5})?", re.ASCII)
_THIS_COMPUTER: Final = frozenset({"127.0.0.1", "localhost"})
_OWN_SERVERS: Final = ".host.bsky.network"
"""Servers of accounts of bsky.social, which signs them in."""
_SHOWN_MAX: Final = 120
_M = TypeVar("_M", bound=BaseModel)


class _Resolved(BaseModel):
    did: Did


class _Service(BaseModel):
    id: str
    endpoint: Annotated[str, Field(alias="serviceEndpoint", max_length=300)]


class _Document(BaseModel):
    services: Annotated[list[_Service], Field(alias="service", max_length=100)] = []


class _Resource(BaseModel):
    servers: Annotated[list[str], Field(alias="authorization_servers", min_length=1, max_length=10)]


class Issuer(BaseModel):
    """The server that issues an account's tokens, as its metadata describe it (RFC 8414)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    pushed_authorization_request_endpoint: str
    revocation_endpoint: str | None = None


def full_handle(written: str) -> str:
    """Return a handle or DID as it's meant: without ``@``, and with a domain."""
    handle = _UNSEEN.sub("", written).removeprefix("@").lower()
    return handle if "." in handle or ":" in handle else f"{handle}.{_DEFAULT_DOMAIN}"


class Directory:
    """Looks up the servers of accounts."""

    def __init__(self, http: PlatformHttp, hosts: Hosts, public: RestApi) -> None:
        """``public`` is the API that resolves handles."""
        self._http = http
        self._hosts = hosts
        self._public = public

    async def did_of(self, identifier: str) -> str:
        """Return the DID of a handle. Raises PlatformError: INVALID for an unknown one."""
        if identifier.startswith("did:"):
            return identifier
        call = Call(
            method="GET",
            url=self._public.address("com.atproto.identity.resolveHandle"),
            params={"handle": identifier},
        )
        try:
            return (await self._public.fetch(call, _Resolved)).did
        except PlatformError as error:
            if error.kind is not FailureKind.INVALID:
                raise
        message = f"Bluesky doesn't know the handle {identifier}."
        raise PlatformError(FailureKind.INVALID, SignInFault.HANDLE, message)

    async def pds_of(self, did: str) -> str:
        """Return the address of the server with an account's posts."""
        web = _WEB_DID.fullmatch(did)
        url = f"https://{web[1]}/.well-known/did.json" if web else f"{self._hosts.directory}/{quote(did)}"
        document = await self._read(url, _Document)
        found = [one.endpoint for one in document.services if one.id.endswith("#atproto_pds")]
        return self._server(found[0] if found else "")

    async def sign_in_server(self, did: str) -> str:
        """Return the address of the server that takes an account's app passwords."""
        pds = await self.pds_of(did)
        return self._hosts.api if pds.endswith(_OWN_SERVERS) else pds

    async def issuer_of(self, pds: str) -> Issuer:
        """Return the server that issues tokens for the accounts of a server."""
        resource = await self._read(f"{pds}/.well-known/oauth-protected-resource", _Resource)
        return await self.issuer(resource.servers[0])

    async def issuer(self, address: str) -> Issuer:
        """Return the metadata of a server that issues tokens. Raises PlatformError if it isn't one."""
        server = self._server(address)
        issuer = await self._read(f"{server}/.well-known/oauth-authorization-server", Issuer)
        # Otherwise a server could have another's tokens sent to itself.
        if issuer.issuer != server or web_address(issuer.authorization_endpoint) is None:
            raise _unusable(server)
        called = issuer.token_endpoint, issuer.pushed_authorization_request_endpoint
        if not all(map(_is_safe, filter(None, (*called, issuer.revocation_endpoint)))):
            raise _unusable(server)
        return issuer

    async def _read(self, url: str, model: type[_M]) -> _M:
        answer = await self._http.send(Call(method="GET", url=url))
        found = answer.read(model) if answer.is_success else None
        if found is None:
            raise _unanswered(answer, url)
        return found

    def _server(self, address: str) -> str:
        """Return the address of a server: https and a name, except on this computer."""
        address = address.rstrip("/")
        if address == self._hosts.api:
            return address
        try:
            parts = urlsplit(address)
            is_bare = _HOST.fullmatch(parts.netloc) is not None
        except ValueError:
            raise _unusable(address) from None
        if not (_is_safe(address) and is_bare and address == f"{parts.scheme}://{parts.netloc}"):
            raise _unusable(address)
        return address


def _is_safe(address: str) -> bool:
    """Whether tokens may be sent to an address: nobody on the way can read them."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _THIS_COMPUTER)


def _unanswered(answer: Answer, url: str) -> PlatformError:
    kind = kind_of(answer)
    if answer.is_success or kind not in {FailureKind.TRANSIENT, FailureKind.RATE_LIMITED}:
        return _unusable(url)
    message = f"The account's server answered {answer.status}."
    return PlatformError(kind, f"http_{answer.status}", message)


def _unusable(address: str) -> PlatformError:
    message = f"The account's server can't be used: {address[:_SHOWN_MAX] or 'it has no address'}."
    return PlatformError(FailureKind.INVALID, "no_server", plain_words(message))
