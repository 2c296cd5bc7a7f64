"""Proofs of possession (DPoP, RFC 9449): every call is signed with the key that its token is bound to.

joserfc signs them. It's maintained for Authlib, BSD-licensed, and needs only cryptography, which Kalends has
anyway. The SDK ``atproto`` would add models of the whole network and its own HTTP client, which knows neither
the guard of outgoing calls nor the departure of a post.
"""

import base64
import hashlib
from collections import OrderedDict
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

from joserfc import jwt
from joserfc.jwk import ECKey
from pydantic import BaseModel

from app.platforms.base import Clock
from app.platforms.http import Answer, Call, PlatformHttp

_SERVERS_MAX: Final = 1_000
_CURVE: Final = "P-256"


class Key(BaseModel):
    """A private key on the curve P-256, as a JWK."""

    x: str
    y: str
    d: str

    @classmethod
    def create(cls) -> "Key":
        """Return a new key."""
        return cls.model_validate(ECKey.generate_key(_CURVE, private=True).as_dict(private=True))

    def sign(self, claims: dict[str, object]) -> str:
        """Return a proof with these claims."""
        key = ECKey.import_key({"kty": "EC", "crv": _CURVE, "x": self.x, "y": self.y, "d": self.d})
        header = {"alg": "ES256", "typ": "dpop+jwt", "jwk": key.as_dict(private=False)}
        return jwt.encode(header, claims, key)


class _Refusal(BaseModel):
    error: str = ""


class Proofs:
    """Sends calls with proofs. Remembers the latest nonce of each server, which proofs have to contain."""

    def __init__(self, http: PlatformHttp, clock: Clock) -> None:
        self._http = http
        self._clock = clock
        self._nonces: OrderedDict[str, str] = OrderedDict()

    async def send(self, call: Call, key: Key, token: str | None = None) -> Answer:
        """Return the response, after one more call if the server asks for another nonce.

        ``token`` is the access token of a call that needs one.
        """
        answer = await self._sent(call, key, token)
        return await self._sent(call, key, token) if _wants_nonce(answer) else answer

    async def _sent(self, call: Call, key: Key, token: str | None) -> Answer:
        server = _server_of(call.url)
        claims: dict[str, object] = {
            "jti": str(uuid4()),
            "htm": call.method,
            "htu": call.url.partition("?")[0],
            "iat": int(self._clock().timestamp()),
        }
        if nonce := self._nonces.get(server):
            claims["nonce"] = nonce
        headers = dict(call.headers)
        if token is not None:
            claims["ath"] = _base64url(hashlib.sha256(token.encode()).digest())
            headers["Authorization"] = f"DPoP {token}"
        headers["DPoP"] = key.sign(claims)
        answer = await self._http.send(replace(call, headers=headers))
        if nonce := answer.headers.get("dpop-nonce", ""):
            self._keep(server, nonce)
        return answer

    def _keep(self, server: str, nonce: str) -> None:
        self._nonces[server] = nonce
        self._nonces.move_to_end(server)
        if len(self._nonces) > _SERVERS_MAX:
            self._nonces.popitem(last=False)


def _wants_nonce(answer: Answer) -> bool:
    """Whether the call was refused only for its nonce: servers of accounts say so in a header."""
    if answer.status == 401 and "use_dpop_nonce" in answer.headers.get("www-authenticate", ""):
        return True
    refusal = answer.read(_Refusal) if answer.status in {400, 401} else None
    return refusal is not None and refusal.error == "use_dpop_nonce"


def _server_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _base64url(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
