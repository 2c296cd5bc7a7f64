"""OAuth 2 in the AT Protocol's profile: PAR, PKCE, DPoP with nonces, metadata."""

import asyncio
import base64
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey
from pydantic import BaseModel, ConfigDict, ValidationError

from app.practice.consent import AuthorizationRequest, InvalidRequestError, read_form
from app.practice.desk import Desk
from app.practice.faults import Operation
from app.practice.grants import Consent, DeadTokenError, Grant, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.platforms.base import Platform, PlatformError

DOMAIN = ".bsky.social"
_REQUESTS_MAX = 1_000
_REQUEST_S = 300
_SESSION_S = 14 * 86_400
_NONCE_S = 180
_PROOF_S = 190
_PROOFS_MAX = 10_000
_LOOPBACK = "http://localhost"
_ADDRESSES = frozenset({"127.0.0.1", "[::1]"})
_RULES = TokenRules(code_s=60, access_s=3600, refresh_s=_SESSION_S, rotates=True)


class _Header(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    alg: str
    typ: str
    jwk: dict[str, str]


class _Claims(BaseModel):
    model_config = ConfigDict(strict=True)

    jti: str
    htm: str
    htu: str
    iat: int
    nonce: str | None = None
    ath: str | None = None


@dataclass(frozen=True)
class _Pushed:
    """A pushed authorization request that waits for the browser, and the thumbprint of its DPoP key."""

    fields: Mapping[str, str]
    thumbprint: str
    expires_at: float


class BlueskyOAuth(Platform):
    """The authorization server of the stand-in."""

    scopes: ClassVar = {
        "com.atproto.appPass": "Publish posts in your name",
        "atproto": "See which account this is",
        "transition:generic": "Publish posts in your name",
    }
    unknown_scope: ClassVar = "invalid_scope"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._secret = secrets.token_bytes(32)
        self._requests: OrderedDict[str, _Pushed] = OrderedDict()
        self._proofs: OrderedDict[str, None] = OrderedDict()

    def add_oauth(self, router: APIRouter) -> None:
        """Add the routes."""
        well_known = "/.well-known/oauth-"
        router.add_api_route(f"{well_known}protected-resource", self.resource, methods=["GET"])
        router.add_api_route(f"{well_known}authorization-server", self.metadata, methods=["GET"])
        router.add_api_route("/oauth/par", self.push, methods=["POST"])
        router.add_api_route("/oauth/authorize", self.authorize, methods=["GET"])
        router.add_api_route("/oauth/authorize", self.decide, methods=["POST"])
        router.add_api_route("/oauth/token", self.token, methods=["POST"])
        router.add_api_route("/oauth/revoke", self.revoke, methods=["POST"])
        router.add_api_route("/{did}", self.document, methods=["GET"])

    async def resource(self, request: Request) -> Response:
        """Name the authorization server of this one: itself."""
        here = _issuer(request)
        return JSONResponse({"resource": here, "authorization_servers": [here]})

    async def metadata(self, request: Request) -> Response:
        """Return the metadata of the authorization server."""
        here = _issuer(request)
        return JSONResponse(
            {
                "issuer": here,
                "authorization_endpoint": f"{here}/oauth/authorize",
                "token_endpoint": f"{here}/oauth/token",
                "revocation_endpoint": f"{here}/oauth/revoke",
                "pushed_authorization_request_endpoint": f"{here}/oauth/par",
                "require_pushed_authorization_requests": True,
                "authorization_response_iss_parameter_supported": True,
                "dpop_signing_alg_values_supported": ["ES256"],
                "scopes_supported": ["atproto", "transition:generic"],
            }
        )

    async def document(self, request: Request) -> Response:
        """Return the document of a DID, which names its server. Every DID of the network has one."""
        did = request.path_params["did"]
        if not did.startswith("did:plc:"):
            return JSONResponse({"message": f"DID not registered: {did}"}, 404)
        service = {
            "id": "#atproto_pds",
            "type": "AtprotoPersonalDataServer",
            "serviceEndpoint": _issuer(request),
        }
        return JSONResponse({"id": did, "alsoKnownAs": [], "service": [service]})

    async def push(self, request: Request) -> Response:
        """Store an authorization request until the browser opens its URI."""
        form = await read_form(request)
        thumbprint = self._proven(request)
        client = form.get("client_id", "")
        if not _is_client(client, form.get("redirect_uri", "")):
            return self._oauth_error("invalid_client", "The client isn't one on this computer.")
        if not form.get("code_challenge") or form.get("code_challenge_method") != "S256":
            return self._oauth_error("invalid_request", "code_challenge is required, with S256.")
        if "atproto" not in form.get("scope", "").split():
            return self._oauth_error("invalid_scope", 'The "atproto" scope is required.')
        uri = f"urn:ietf:params:oauth:request_uri:req-{secrets.token_hex(16)}"
        self._requests[uri] = _Pushed(form, thumbprint, self.desk.settings.clock() + _REQUEST_S)
        while len(self._requests) > _REQUESTS_MAX:
            self._requests.popitem(last=False)
        return self._with_nonce(JSONResponse({"request_uri": uri, "expires_in": _REQUEST_S}, 201))

    async def decide(self, request: Request) -> Response:
        """Handle the buttons of the consent page; the redirect also names the issuer of the code."""
        response = await super().decide(request)
        if "location" in response.headers:
            issuer = urlencode({"iss": _issuer(request)})
            response.headers["location"] += f"&{issuer}"
        return response

    async def token(self, request: Request) -> Response:
        """Exchange a code or a refresh token. Both work once, and only with their key."""
        form = await read_form(request)
        client = _bound(form.get("client_id", ""), self._proven(request))
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._issued(form, client))

    async def revoke(self, request: Request) -> Response:
        """End a session. Unknown tokens aren't an error."""
        form = await read_form(request)
        self._proven(request)
        await asyncio.to_thread(self.desk.grants.revoke_token, self.name, form.get("token", ""))
        return self._with_nonce(JSONResponse({}))

    async def caller(self, request: Request, *scopes: str) -> Grant:
        """Return the grant of a token. Tokens issued in the browser need a DPoP proof."""
        grant = await super().caller(request, *scopes)
        _, is_bound, thumbprint = grant.client_id.rpartition("#")
        is_proven = request.headers.get("Authorization", "").lower().startswith("dpop ")
        if bool(is_bound) != is_proven:
            raise PlatformError(self.dead_token(DeadTokenError("unknown")))
        if is_proven and self._proven(request, self.bearer(request)) != thumbprint:
            raise PlatformError(self.dead_token(DeadTokenError("unknown")))
        return grant

    def bearer(self, request: Request) -> str:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        return token.strip() if scheme.lower() in {"bearer", "dpop"} else ""

    def check_authorization(self, asked: AuthorizationRequest) -> None:
        if not asked["code_challenge"]:
            raise InvalidRequestError("code_challenge is missing.")

    def handle_of(self, identity: Identity) -> str:
        """Return a user's handle."""
        return f"{identity.handle.replace('_', '-')}{DOMAIN}"

    def person(self, identifier: str) -> Identity | None:
        """Return the user with a handle, or with the DID of an account that signed in before."""
        if identifier.startswith("did:"):
            return self.desk.grants.account_of(self.name, identifier)
        if not identifier.endswith(DOMAIN) or identifier == DOMAIN:
            return None
        try:
            return Identity.of(self.name, identifier.removesuffix(DOMAIN))
        except ValueError:
            return None

    def _read(self, values: Mapping[str, str]) -> AuthorizationRequest:
        """Return the pushed request, for the user it names unless the user chose another one."""
        uri = values.get("request_uri", "")
        pushed = self._requests.get(uri)
        if pushed is None or pushed.expires_at <= self.desk.settings.clock():
            raise InvalidRequestError("request_uri is missing or too old. Requests have to be pushed first.")
        if values.get("client_id") != pushed.fields["client_id"]:
            raise InvalidRequestError("client_id isn't that of the pushed request.")
        hinted = self.person(pushed.fields.get("login_hint", ""))
        account = values.get("account") or (hinted.account if hinted else "")
        return super()._read({**pushed.fields, "request_uri": uri, "account": account})

    def _open_code(self, asked: AuthorizationRequest) -> str:
        pushed = self._requests.pop(asked["request_uri"])
        ends_at = int(self.desk.settings.clock()) + _SESSION_S
        consent = Consent(
            identity=asked.identity,
            identifier=self.identifier(asked.identity),
            client_id=_bound(asked.client, pushed.thumbprint),
            redirect_uri=asked["redirect_uri"],
            scope=asked.scope,
            challenge=asked["code_challenge"],
            chosen=frozenset({str(ends_at)}),  # stored with the grant
        )
        return self.desk.grants.open_code(_RULES, consent)

    def _issued(self, form: Mapping[str, str], client: str) -> Response:
        grants = self.desk.grants
        try:
            if form.get("grant_type") == "refresh_token":
                issued = grants.refresh(_RULES, form.get("refresh_token", ""), client)
            else:
                code, verifier = form.get("code", ""), form.get("code_verifier", "")
                issued = grants.exchange(_RULES, code, client, form.get("redirect_uri", ""), verifier)
        except RefusedGrantError:
            return self._oauth_error("invalid_grant", "Invalid code, refresh token, key or verifier.")
        grant = grants.authenticate(self.name, issued.access_token)
        if min(map(int, grant.chosen), default=0) <= self.desk.settings.clock():
            grants.revoke_token(self.name, issued.access_token)
            return self._oauth_error("invalid_grant", "Session expired")
        return self._with_nonce(JSONResponse(_tokens(issued, grant), headers={"Cache-Control": "no-store"}))

    def _proven(self, request: Request, token: str = "") -> str:
        """Return the thumbprint of the key that signed the call.

        Raises:
            PlatformError: The proof is missing or invalid, or lacks the nonce of the response.
        """
        try:
            header, claims, thumbprint = _read_proof(request.headers.get("DPoP", ""))
        except (JoseError, ValidationError, ValueError, KeyError):
            raise PlatformError(self._oauth_error("invalid_dpop_proof", "DPoP proof required")) from None
        now = self.desk.settings.clock()
        is_right = (
            header.typ == "dpop+jwt"
            and claims.htm == request.method
            and claims.htu == str(request.url).partition("?")[0]
            and abs(now - claims.iat) <= _PROOF_S
            and claims.jti not in self._proofs
            and claims.ath == (_base64url(hashlib.sha256(token.encode()).digest()) if token else None)
        )
        if not is_right:
            raise PlatformError(self._oauth_error("invalid_dpop_proof", "DPoP proof mismatch"))
        if claims.nonce not in {self._nonce(now), self._nonce(now - _NONCE_S)}:
            raise PlatformError(self._wants_nonce(is_resource=bool(token)))
        self._proofs[claims.jti] = None
        while len(self._proofs) > _PROOFS_MAX:
            self._proofs.popitem(last=False)
        return thumbprint

    def _nonce(self, at: float) -> str:
        window = str(int(at // _NONCE_S)).encode()
        return _base64url(hmac.new(self._secret, window, hashlib.sha256).digest())

    def _wants_nonce(self, *, is_resource: bool) -> Response:
        response = self._oauth_error("use_dpop_nonce", "Authorization server requires nonce in DPoP proof")
        if is_resource:
            response.status_code = 401
            response.headers["WWW-Authenticate"] = 'DPoP error="use_dpop_nonce"'
        return response

    def _oauth_error(self, error: str, description: str) -> Response:
        return self._with_nonce(JSONResponse({"error": error, "error_description": description}, 400))

    def _with_nonce(self, response: Response) -> Response:
        response.headers["DPoP-Nonce"] = self._nonce(self.desk.settings.clock())
        return response


def _read_proof(proof: str) -> tuple[_Header, _Claims, str]:
    header = _Header.model_validate(jws.extract_compact(proof.encode()).headers())
    key = ECKey.import_key({"kty": "EC", **{name: header.jwk[name] for name in ("crv", "x", "y")}})
    signed = jws.deserialize_compact(proof, key, algorithms=["ES256"])
    return header, _Claims.model_validate_json(signed.payload), key.thumbprint()


def _tokens(issued: Issued, grant: Grant) -> dict[str, Any]:
    return {
        "access_token": issued.access_token,
        "refresh_token": issued.refresh_token,
        "expires_in": issued.expires_in,
        "scope": " ".join(sorted(issued.scope)),
        "token_type": "DPoP",
        "sub": grant.identifier,
    }


def _is_client(client_id: str, redirect_uri: str) -> bool:
    """Whether this is a client on the user's computer, and its ID contains the redirect URI."""
    try:
        parts, back = urlsplit(client_id), urlsplit(redirect_uri)
    except ValueError:
        return False
    allowed = [urlsplit(uri) for name, uri in parse_qsl(parts.query) if name == "redirect_uri"]
    is_local = back.scheme == "http" and back.netloc.rpartition(":")[0] in _ADDRESSES
    named = any((one.hostname, one.path) == (back.hostname, back.path) for one in allowed)
    return client_id.startswith(f"{_LOOPBACK}?") and is_local and named


def _bound(client_id: str, thumbprint: str) -> str:
    """Return how a grant stores a client: with the thumbprint of the key that its tokens are bound to."""
    return f"{client_id}#{thumbprint}"


def _issuer(request: Request) -> str:
    return f"{request.base_url}bluesky"


def _base64url(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
