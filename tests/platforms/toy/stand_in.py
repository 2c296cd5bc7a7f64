"""Toy as it would answer: OAuth 2, the user, notes."""

from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.consent import read_form
from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.ledger import Draft, Publication
from app.practice.platforms.base import Platform


class Toy(Platform):
    """One user per grant."""

    name: ClassVar = "toy"
    title: ClassVar = "Toy"
    scopes: ClassVar = {"notes": "Publish notes in your name"}
    rules: ClassVar = TokenRules(code_s=60, access_s=7200, refresh_s=86_400)
    unknown_scope: ClassVar = "invalid_scope"

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        router.add_api_route("/authorize", self.authorize, methods=["GET"])
        router.add_api_route("/authorize", self.decide, methods=["POST"])
        router.add_api_route("/v1/token", self.token, methods=["POST"])
        router.add_api_route("/v1/me", self.me, methods=["GET"])
        router.add_api_route("/v1/notes", self.create, methods=["POST"])
        router.add_api_route("/v1/notes", self.notes, methods=["GET"])
        router.add_api_route("/notes/{content}", self.show, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        return identity.long_id

    async def token(self, request: Request) -> Response:
        """Tokens for a code."""
        form = await read_form(request)
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._exchange(form))

    async def me(self, request: Request) -> Response:
        """The user of the token."""
        grant = await self.caller(request, "notes")
        return JSONResponse({"id": grant.identifier, "handle": grant.identity.handle})

    async def create(self, request: Request) -> Response:
        """Publish a note."""
        grant = await self.caller(request, "notes")
        text = str((await request.json())["text"])

        def work() -> Response:
            draft = Draft(self.name, grant.identifier, text)
            return JSONResponse(_note(self.desk.ledger.accept(draft, str, repeatable=True)), 201)

        return await self.answer(Operation.PUBLISH, grant.identifier, work)

    async def notes(self, request: Request) -> Response:
        """The user's notes, oldest first."""
        grant = await self.caller(request, "notes")
        mine = [
            one
            for one in self.desk.ledger.all()
            if (one.platform, one.account_identifier) == (self.name, grant.identifier)
        ]
        return JSONResponse({"notes": [_note(one) for one in mine]})

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        del operation
        return JSONResponse({}, {FaultKind.ERROR_500: 500, FaultKind.RATE_LIMIT: 429}.get(kind, 400))

    def dead_token(self, error: DeadTokenError) -> Response:
        return JSONResponse({"error": error.reason}, 401)

    def missing_scope(self, scope: str) -> Response:
        return JSONResponse({"error": scope}, 403)

    def _exchange(self, form: dict[str, str]) -> Response:
        proof = form["redirect_uri"], form["code_verifier"]
        try:
            issued = self.desk.grants.exchange(self.rules, form["code"], form["client_id"], *proof)
        except RefusedGrantError:
            return JSONResponse({"error": "invalid_grant"}, 400)
        return JSONResponse({"access_token": issued.access_token, "expires_in": issued.expires_in})


def _note(one: Publication) -> dict[str, Any]:
    return {"id": one.content_id, "text": one.text, "created_at": one.received_at}
