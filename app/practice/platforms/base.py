"""Behaviour common to all practice platforms: consent, faults, tokens, client authentication, errors."""

import asyncio
import base64
import binascii
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from app.practice.consent import (
    AuthorizationRequest,
    Choice,
    InvalidRequestError,
    Wording,
    consent_page,
    decision,
    problem_page,
    read_form,
)
from app.practice.desk import Desk
from app.practice.faults import Fault, FaultKind, Operation, Withheld
from app.practice.grants import Consent, DeadTokenError, Grant, TokenRules
from app.practice.identities import Identity
from app.practice.quotas import Quota, UsedUpError


def basic_client(request: Request) -> tuple[str, str]:
    """Return ID and secret from the Basic header; both empty without one."""
    scheme, _, encoded = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return "", ""
    try:
        name, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, secret


class PlatformError(Exception):
    """An error in the platform's own format, sent as ``response``."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


class Platform(ABC):
    """A platform: its routes below ``/{name}``, rules and errors.

    Attributes:
        name: Name in URLs, the ledger and faults.
        title: Display name.
        scopes: Every known scope, each with a sentence for the consent page.
        rules: Rules for codes and tokens.
        unknown_scope: OAuth error for an unknown scope.
        wording: Parameter names of authorization requests.
        publishes: Whether it accepts publications.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    scopes: ClassVar[Mapping[str, str]]
    rules: ClassVar[TokenRules]
    unknown_scope: ClassVar[str]
    wording: ClassVar[Wording] = Wording()
    publishes: ClassVar[bool] = True
    renames_edited: ClassVar[bool] = False
    """Whether an edited publication gets another ID."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    @abstractmethod
    def router(self) -> APIRouter:
        """Return the platform's routes."""

    @abstractmethod
    def identifier(self, identity: Identity) -> str:
        """Return the platform's ID of a user."""

    @abstractmethod
    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        """Return the platform's response for a fault: reject, error_500, rate_limit, expired_token."""

    @abstractmethod
    def dead_token(self, error: DeadTokenError) -> Response:
        """Return the platform's 401."""

    @abstractmethod
    def missing_scope(self, scope: str) -> Response:
        """Return the platform's 403 for a token without the scope."""

    def used_up(self, error: UsedUpError) -> Response:
        """Return the platform's response if a quota is used up."""
        raise NotImplementedError(error.quota.name)

    def spend(self, grant: Grant, *quotas: Quota) -> None:
        """Count a call or post against quotas.

        Raises:
            PlatformError: A quota is used up; the others aren't counted then.
        """
        self.check_quota(grant, *quotas)
        for quota in quotas:
            self.desk.quotas.count(quota, _holder(grant, quota))

    def check_quota(self, grant: Grant, *quotas: Quota) -> None:
        """Raise PlatformError if a quota is used up."""
        try:
            for quota in quotas:
                self.desk.quotas.check(quota, _holder(grant, quota))
        except UsedUpError as error:
            raise PlatformError(self.used_up(error)) from error

    def check_authorization(self, asked: AuthorizationRequest) -> None:  # noqa: B027  # most need no more
        """Check this platform's own requirements for an authorization request.

        Raises:
            InvalidRequestError: With a sentence for the page.
        """

    def choices(self, identity: Identity) -> Sequence[Choice]:  # noqa: ARG002  # most offer none
        """Return what a user can select on the consent page."""
        return ()

    def granted_scope(self, asked: AuthorizationRequest) -> frozenset[str]:
        """Return the scopes that a grant gets."""
        return asked.scope

    def person_of(self, identifier: str) -> Identity | None:
        """Return the user with an ID, if that account was ever connected."""
        return self.desk.grants.account_of(self.name, identifier)

    def board_name(self, person: Identity, board_id: str) -> str | None:  # noqa: ARG002  # most have none
        """Return the name of a board."""
        return None

    def show(self, content: str) -> Response:
        """Redirect from the real platform's URL of a publication to the page that shows it here."""
        return RedirectResponse(f"/published/{self.name}/{quote(content, safe='')}", 303)

    def bearer(self, request: Request) -> str:
        """Return the access token of a call; empty if it has none."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""

    async def authorize(self, request: Request) -> Response:
        """Show the consent page."""
        try:
            asked = self._read(request.query_params)
        except InvalidRequestError as error:
            return problem_page(self.desk, request, self.title, str(error))
        choices = self.choices(asked.identity)
        return self._refused_scope(asked) or consent_page(
            self.desk, request, self.title, asked, self.scopes, choices
        )

    async def decide(self, request: Request) -> Response:
        """Handle the buttons of the consent page."""
        values = await read_form(request)
        try:
            asked = self._read(values)
            allowed = decision(values)
        except InvalidRequestError as error:
            return problem_page(self.desk, request, self.title, str(error))
        if refused := self._refused_scope(asked):
            return refused
        if not allowed:
            return asked.back(error="access_denied", error_description="The person did not allow access.")
        return asked.back(code=await asyncio.to_thread(self._open_code, asked))

    async def caller(self, request: Request, *scopes: str) -> Grant:
        """Return the grant of the bearer token.

        Raises:
            PlatformError: The token isn't valid or lacks one of the scopes.
        """
        token = self.bearer(request)
        try:
            grant = self.desk.grants.authenticate(self.name, token)  # one row is faster than a thread
        except DeadTokenError as error:
            raise PlatformError(self.dead_token(error)) from error
        for scope in scopes:
            if scope not in grant.scope:
                raise PlatformError(self.missing_scope(scope))
        return grant

    async def holder(self, form: Mapping[str, str]) -> str | None:
        """Return the account of the code or refresh token in a form, for faults limited to an account."""
        secret = form.get("code") or form.get("refresh_token", "")
        return await asyncio.to_thread(self.desk.grants.holder, secret)

    async def answer(
        self, operation: Operation, account: str | None, work: Callable[[], Response]
    ) -> Response:
        """Do the work and respond, unless a fault is due for this call.

        A fault that loses or delays the response happens after the work is stored.

        Args:
            operation: The caller's operation.
            account: The account ID, if known.
            work: Does the work and returns the response. Runs in a thread if a file is involved; for a row or
                two, a thread would take longer than the work.

        Raises:
            PlatformError: Anything the work raises.
        """
        fault = await self._fault(operation, account)
        if fault is None:
            return await _done(operation, work)
        if fault.kind not in {FaultKind.SLOW, FaultKind.TIMEOUT_AFTER_ACCEPT}:
            return self._refused(fault, operation)
        response = await _done(operation, work)
        if fault.kind is FaultKind.TIMEOUT_AFTER_ACCEPT:
            return Withheld(0 if fault.by_chance else self.desk.settings.hold_s)
        await asyncio.sleep(self.desk.settings.slow_s)
        return response

    def avatar(self, request: Request, identity: Identity) -> str:
        """Return the URL of a user's avatar."""
        return str(request.url_for("avatar", platform=self.name, account=identity.account))

    async def _fault(self, operation: Operation, account: str | None) -> Fault | None:
        """Return the fault of this call, if any."""
        if self.desk.faults.none_due:
            return None
        fault = await asyncio.to_thread(self.desk.faults.take, self.name, operation, account)
        if fault is None or not fault.by_chance:
            return fault
        if fault.kind is FaultKind.TIMEOUT_AFTER_ACCEPT and operation is Operation.TOKEN:
            return None if self.rules.rotates else fault
        if fault.kind is FaultKind.EXPIRED_TOKEN:
            can_end = operation is not Operation.TOKEN
            ended = can_end and await asyncio.to_thread(
                self.desk.grants.expire, self.rules, self.name, account
            )
            return fault if ended else None
        return fault

    def _refused(self, fault: Fault, operation: Operation) -> Response:
        response = self.refusal(fault.kind, operation)
        if fault.kind is FaultKind.RATE_LIMIT and fault.retry_after_s is not None:
            response.headers["Retry-After"] = str(fault.retry_after_s)
        return response

    def _read(self, values: Mapping[str, str]) -> AuthorizationRequest:
        asked = AuthorizationRequest.read(self.name, self.wording, values)
        self.check_authorization(asked)
        return asked

    def _refused_scope(self, asked: AuthorizationRequest) -> Response | None:
        unknown = sorted(asked.scope - self.scopes.keys())
        if not unknown:
            return None
        sentence = f'Scope "{unknown[0]}" is not authorized for your application'
        return asked.back(error=self.unknown_scope, error_description=sentence)

    def _open_code(self, asked: AuthorizationRequest) -> str:
        consent = Consent(
            identity=asked.identity,
            identifier=self.identifier(asked.identity),
            client_id=asked.client,
            redirect_uri=asked["redirect_uri"],
            scope=self.granted_scope(asked),
            challenge=asked["code_challenge"],
            chosen=asked.chosen & {choice.id for choice in self.choices(asked.identity)},
        )
        return self.desk.grants.open_code(self.rules, consent)


def _holder(grant: Grant, quota: Quota) -> str:
    return grant.client_id if quota.per_app else grant.identifier


async def _done(operation: Operation, work: Callable[[], Response]) -> Response:
    return await asyncio.to_thread(work) if operation is Operation.UPLOAD else work()
