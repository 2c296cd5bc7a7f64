"""Bluesky's AT Protocol API: sessions, the profile, records, files, counts."""

import asyncio
import base64
import hashlib
import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.faults import FaultKind, Operation
from app.practice.grants import Consent, DeadTokenError, Grant, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.ledger import Draft, Publication, counts_of
from app.practice.platforms.base import PlatformError
from app.practice.platforms.bluesky_oauth import DOMAIN, BlueskyOAuth
from app.practice.platforms.bluesky_records import (
    POSTS,
    Blob,
    Card,
    Images,
    Put,
    Strict,
    Video,
    check_text,
    read_body,
    xrpc_error,
)
from app.practice.uploads import TooLongError, TooShortError, Upload

REFUSED = "aaaa-aaaa-aaaa-aaaa"
_APP_PASSWORD = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){3}")
_CLIENT = "app password"
_LONGEST_FILE = 100_000_000
_LARGEST_IMAGE = 2_000_000
_STORE_FILE = "com.atproto.repo.uploadBlob"
_MOST_COUNTED = 25
_KEPT_S = 3600


class _Login(Strict):
    identifier: str
    password: str


class Bluesky(BlueskyOAuth):
    """One account per session. Every handle ends in ``.bsky.social``; all app passwords but one open it."""

    name: ClassVar = "bluesky"
    title: ClassVar = "Bluesky"
    rules: ClassVar = TokenRules(code_s=60, access_s=7200, refresh_s=90 * 86_400, rotates=True)

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        calls: dict[str, tuple[str, Callable[..., Any]]] = {
            "com.atproto.server.createSession": ("POST", self.create_session),
            "com.atproto.server.refreshSession": ("POST", self.refresh_session),
            "com.atproto.server.deleteSession": ("POST", self.delete_session),
            "com.atproto.server.getSession": ("GET", self.session),
            "com.atproto.identity.resolveHandle": ("GET", self.resolve_handle),
            "com.atproto.server.getServiceAuth": ("GET", self.service_auth),
            "com.atproto.repo.uploadBlob": ("POST", self.upload_blob),
            "app.bsky.video.uploadVideo": ("POST", self.upload_video),
            "app.bsky.video.getJobStatus": ("GET", self.job_status),
            "com.atproto.repo.putRecord": ("POST", self.put_record),
            "com.atproto.repo.getRecord": ("GET", self.record),
            "app.bsky.actor.getProfile": ("GET", self.profile),
            "app.bsky.feed.getPosts": ("GET", self.posts),
        }
        for name, (method, endpoint) in calls.items():
            router.add_api_route(f"/xrpc/{name}", endpoint, methods=[method])
        self.add_oauth(router)
        router.add_api_route("/profile/{author}/post/{key}", self.show_post, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        digest = hashlib.sha256(f"{self.name}:{identity.account}".encode()).digest()[:15]
        return f"did:plc:{base64.b32encode(digest).decode().lower()}"

    async def create_session(self, request: Request) -> Response:
        """Open a session for a handle and an app password."""
        login = read_body(_Login, await request.body())
        identity = await asyncio.to_thread(self.person, login.identifier.removeprefix("@"))
        is_right = _APP_PASSWORD.fullmatch(login.password) and login.password != REFUSED
        if identity is None or not is_right:
            return xrpc_error("AuthenticationRequired", "Invalid identifier or password", 401)
        opened = identity
        return await self.answer(Operation.TOKEN, self.identifier(opened), lambda: self._opened(opened))

    async def refresh_session(self, request: Request) -> Response:
        """Exchange a refresh token, which works once."""
        token = self.bearer(request)
        holder = await asyncio.to_thread(self.desk.grants.holder, token)

        def work() -> Response:
            try:
                issued = self.desk.grants.refresh(self.rules, token, _CLIENT)
            except RefusedGrantError:
                return xrpc_error("ExpiredToken", "Token has been revoked", 400)
            return self._tokens(issued)

        return await self.answer(Operation.TOKEN, holder, work)

    async def delete_session(self, request: Request) -> Response:
        """End the session of a refresh token, even if the token was already used."""
        token = self.bearer(request)
        holder = await asyncio.to_thread(self.desk.grants.holder, token)

        def work() -> Response:
            if holder is None:
                return xrpc_error("InvalidToken", "Token could not be verified", 400)
            self.desk.grants.revoke_token(self.name, token)
            return Response()

        return await self.answer(Operation.TOKEN, holder, work)

    async def session(self, request: Request) -> Response:
        """Return the account of the token."""
        grant = await self.caller(request)
        return JSONResponse(
            {"did": grant.identifier, "handle": self.handle_of(grant.identity), "active": True}
        )

    async def profile(self, request: Request) -> Response:
        """Return the caller's profile."""
        grant = await self.caller(request)
        if request.query_params.get("actor") not in {grant.identifier, self.handle_of(grant.identity)}:
            return xrpc_error("InvalidRequest", "Profile not found", 400)
        person = grant.identity
        shown = {
            "did": grant.identifier,
            "handle": self.handle_of(person),
            "displayName": person.display_name,
            "avatar": self.avatar(request, person),
            "followersCount": person.followers,
            "verification": {"verifications": [], "verifiedStatus": "none", "trustedVerifierStatus": "none"},
        }
        return JSONResponse(shown)

    async def resolve_handle(self, request: Request) -> Response:
        """Return the DID of a handle. Every handle below ``bsky.social`` exists."""
        identity = self.person(request.query_params.get("handle", ""))
        if identity is None:
            return xrpc_error("InvalidRequest", "Unable to resolve handle", 400)
        return JSONResponse({"did": self.identifier(identity)})

    async def upload_blob(self, request: Request) -> Response:
        """Receive a file, which is kept for an hour unless a record references it."""
        grant = await self.caller(request)
        return await self._receive(request, grant.identifier, "blob", self._finish)

    async def service_auth(self, request: Request) -> Response:
        """Return a token with which the video service can store a file, for at most an hour."""
        grant = await self.caller(request)
        asked = request.query_params
        if asked.get("lxm") != _STORE_FILE or not asked.get("aud", "").startswith("did:web:"):
            return xrpc_error("InvalidRequest", "aud and lxm are required", 400)
        return JSONResponse({"token": _service_token(grant.identifier)})

    async def upload_video(self, request: Request) -> Response:
        """Receive a video. Unlike its lexicon says, the service answers without ``jobStatus``."""
        did = request.query_params.get("did", "")
        if request.headers.get("Authorization") != f"Bearer {_service_token(did)}":
            return xrpc_error("Unauthorized", "invalid token", 401)
        return await self._receive(request, did, "video", self._begin_job)

    async def job_status(self, request: Request) -> Response:
        """Return the state of a video. No token is required."""
        number = request.query_params.get("jobId", "")

        def work() -> Response:
            found = self.desk.uploads.find(self.name, int(number)) if number.isdecimal() else None
            if found is None or found.purpose != "video":
                return xrpc_error("InvalidRequest", "Job not found", 400)
            return JSONResponse({"jobStatus": self._job(found)})

        return await self.answer(Operation.UPLOAD, None, work)

    async def _receive(
        self, request: Request, did: str, purpose: str, finish: Callable[[Upload], Response]
    ) -> Response:
        kind = request.headers.get("Content-Type", "")
        upload = await asyncio.to_thread(
            lambda: self.desk.uploads.open(self.name, did, purpose=purpose, content_type=kind)
        )
        try:
            await self.desk.uploads.receive(upload, 0, request.stream(), _LONGEST_FILE, 1)
        except TooLongError:
            return xrpc_error(
                "BlobTooLarge", f"This file is too large. It can be {_LONGEST_FILE} bytes.", 400
            )
        except TooShortError:
            return xrpc_error("InvalidRequest", "Request encoding (Content-Type) required", 400)
        return await self.answer(Operation.UPLOAD, did, lambda: finish(upload))

    async def put_record(self, request: Request) -> Response:
        """Store a post under a key that must be free."""
        grant = await self.caller(request)
        body = await request.body()
        return await self.answer(Operation.PUBLISH, grant.identifier, lambda: self._put(grant, body))

    async def record(self, request: Request) -> Response:
        """Return a post by its key. No token is required."""
        asked = request.query_params
        uri = f"at://{asked.get('repo')}/{asked.get('collection')}/{asked.get('rkey')}"

        def work() -> Response:
            found = self.desk.ledger.find(self.name, uri)
            if found is None:
                return xrpc_error("RecordNotFound", f"Could not locate record: {uri}", 400)
            return JSONResponse({"uri": uri, "cid": _cid(uri), "value": _value(found)})

        return await self.answer(Operation.LOOK_BACK, asked.get("repo"), work)

    async def posts(self, request: Request) -> Response:
        """Return up to 25 posts with their counts, without unknown ones."""
        grant = await self.caller(request)
        uris = request.query_params.getlist("uris")
        if not 0 < len(uris) <= _MOST_COUNTED:
            return xrpc_error("InvalidRequest", "Error: uris must not have more than 25 elements", 400)

        def work() -> Response:
            found = [self.desk.ledger.find(self.name, uri) for uri in uris]
            return JSONResponse({"posts": [self._counted(one) for one in found if one is not None]})

        return await self.answer(Operation.METRICS, grant.identifier, work)

    def show_post(self, author: str, key: str) -> Response:
        """Show a post by its author, a handle or DID, and its key."""
        did = author
        if not author.startswith("did:"):
            did = self.identifier(Identity.of(self.name, author.removesuffix(DOMAIN)))
        return self.show(f"at://{did}/{POSTS}/{key}")

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        if kind is FaultKind.ERROR_500:
            return xrpc_error("InternalServerError", "Internal Server Error", 500)
        if kind is FaultKind.RATE_LIMIT:
            settings = self.desk.settings
            response = xrpc_error("RateLimitExceeded", "Rate Limit Exceeded", 429)
            reset = math.ceil(settings.clock() + settings.rate_limit_window_s)
            response.headers["ratelimit-reset"] = str(reset)
            return response
        if kind is FaultKind.EXPIRED_TOKEN:
            return self.dead_token(DeadTokenError("expired"))
        if operation is Operation.TOKEN:
            return xrpc_error("AccountTakedown", "Account has been taken down", 401)
        return xrpc_error("InvalidRequest", f"Invalid {POSTS} record: Text is not allowed here", 400)

    def dead_token(self, error: DeadTokenError) -> Response:
        if error.reason == "expired":
            return xrpc_error("ExpiredToken", "Token has expired", 400)
        return xrpc_error("InvalidToken", "Token could not be verified", 400)

    def missing_scope(self, scope: str) -> Response:
        return xrpc_error("InvalidToken", f"Bad token scope, {scope} is missing", 400)

    def _opened(self, identity: Identity) -> Response:
        consent = Consent(
            identity, self.identifier(identity), _CLIENT, "", frozenset({"com.atproto.appPass"}), ""
        )
        code = self.desk.grants.open_code(self.rules, consent)
        return self._tokens(self.desk.grants.exchange(self.rules, code, _CLIENT, ""))

    def _tokens(self, issued: Issued) -> Response:
        grant = self.desk.grants.authenticate(self.name, issued.access_token)
        body = {
            "accessJwt": issued.access_token,
            "refreshJwt": issued.refresh_token,
            "handle": self.handle_of(grant.identity),
            "did": grant.identifier,
            "active": True,
        }
        return JSONResponse(body)

    def _finish(self, upload: Upload) -> Response:
        return JSONResponse({"blob": _blob(self._stored(upload))})

    def _begin_job(self, upload: Upload) -> Response:
        return JSONResponse(self._job(self._stored(upload)))

    def _job(self, upload: Upload) -> dict[str, Any]:
        job = {"jobId": str(upload.id), "did": upload.account}
        if not (upload.kind or "").startswith("video/"):
            return {**job, "state": "JOB_STATE_FAILED", "error": "invalid_video", "message": "Not a video"}
        if not self.desk.uploads.is_ready(upload):
            return {**job, "state": "JOB_STATE_ENCODING", "progress": 50}
        return {**job, "state": "JOB_STATE_COMPLETED", "blob": _blob(upload)}

    def _stored(self, upload: Upload) -> Upload:
        stored = self.desk.uploads.finish(upload)
        named = replace(stored, details=_cid(stored.sha256 or ""))
        self.desk.uploads.note(stored, named.details)
        return named

    def _put(self, grant: Grant, body: bytes) -> Response:
        asked = read_body(Put, body)
        if asked.repo != grant.identifier:
            return xrpc_error("InvalidRequest", "Could not find repo", 400)
        uri = f"at://{grant.identifier}/{POSTS}/{asked.key}"
        if self.desk.ledger.find(self.name, uri) is not None:
            return xrpc_error("InvalidSwap", "Record was at another CID", 400)
        check_text(asked.record)
        embed = asked.record.embed
        labels, files = self._embedded(grant, embed)
        draft = Draft(
            self.name,
            grant.identifier,
            asked.record.text,
            media_sha256=",".join(file.sha256 or "" for file in files) or None,
            labels=", ".join(filter(None, labels)),
        )
        self.desk.ledger.accept(draft, lambda _: uri, repeatable=True)
        for file in files:
            self.desk.uploads.use(file)
        return JSONResponse({"uri": uri, "cid": _cid(uri), "validationStatus": "valid"})

    def _embedded(self, grant: Grant, embed: Images | Video | Card | None) -> tuple[list[str], list[Upload]]:
        """Return the descriptions and the files of what a post shows."""
        match embed:
            case Images(images=images):
                return [one.alt for one in images], [self._file(grant, one.image) for one in images]
            case Video(alt=alt, video=video):
                return [alt], [self._file(grant, video, "video")]
            case Card(external=card):
                thumbs = [self._file(grant, card.thumb)] if card.thumb else []
                return [f"Link card: {card.title}"], thumbs
            case _:
                return [], []

    def _file(self, grant: Grant, blob: Blob, family: str = "image") -> Upload:
        uploads = self.desk.uploads
        mine = [
            one
            for one in uploads.with_details(self.name, blob.ref.link)
            if one.account == grant.identifier and (one.used or uploads.age_s(one) <= _KEPT_S)
        ]
        if not mine:
            raise PlatformError(xrpc_error("BlobNotFound", f"Could not find blob: {blob.ref.link}", 400))
        file = mine[-1]
        if not (file.kind or "").startswith(f"{family}/") or blob.mime_type != file.kind:
            message = f"Wrong type of file. It must match {family}/*."
            raise PlatformError(xrpc_error("InvalidMimeType", message, 400))
        if family == "image" and file.size > _LARGEST_IMAGE:
            message = f"This file is too large. It is {file.size} bytes but can be {_LARGEST_IMAGE}."
            raise PlatformError(xrpc_error("BlobTooLarge", message, 400))
        return file

    def _counted(self, one: Publication) -> dict[str, Any]:
        counts = counts_of(one, self.desk.settings.clock())
        return {
            "uri": one.content_id,
            "cid": _cid(one.content_id),
            "record": _value(one),
            "likeCount": counts.likes,
            "replyCount": counts.comments,
            "repostCount": counts.shares,
            "quoteCount": 0,
        }


def _value(one: Publication) -> dict[str, Any]:
    return {"$type": POSTS, "text": one.text, "createdAt": one.received_at}


def _blob(stored: Upload) -> dict[str, Any]:
    kind = stored.kind or stored.content_type
    return {"$type": "blob", "ref": {"$link": stored.details}, "mimeType": kind, "size": stored.size}


def _service_token(did: str) -> str:
    """Return a token for the video service; only this computer's stand-ins know it."""
    return hashlib.sha256(f"service auth of {did}".encode()).hexdigest()


def _cid(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return "bafkrei" + base64.b32encode(digest).decode().lower().rstrip("=")
