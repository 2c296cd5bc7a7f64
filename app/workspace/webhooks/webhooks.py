"""Webhook subscriptions: cached while the service is unreachable, changed immediately or not at all."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from app.client import Forbidden, NotFound, ValidationRefused
from app.contract.companion import DeliveryDetails
from app.contract.enums import EventType
from app.contract.limits import WEBHOOK_URL_MAX
from app.contract.pagination import Page
from app.contract.webhooks import (
    CreatedWebhookSubscription,
    CreateWebhook,
    WebhookDelivery,
    WebhookReplayResult,
    WebhookSubscription,
    WebhookTestResult,
)
from app.database import DatabaseError
from app.language import number, tr
from app.workspace.core import Core
from app.workspace.foreign_texts import KNOWN, in_own_language
from app.workspace.messages import Problem
from app.workspace.problems import as_problem
from app.workspace.store.tables import get_setting, put_setting

NO_ADDRESS: Final = tr("That isn't a URL. It should look like https://example.com/hooks.")
T = TypeVar("T")
_SETTING: Final = "webhooks"
_SHAPE: Final = TypeAdapter(tuple[WebhookSubscription, ...])
_GONE: Final = tr("This webhook was deleted elsewhere.")
_UNTOLD: Final = tr("This service doesn't provide delivery logs.")
_NONE: Final = tr("This service doesn't support webhooks.")
_log = logging.getLogger(__name__)


def address_problem(typed: str) -> str:
    """Return what is wrong with a URL; empty for nothing. The service checks private addresses."""
    address = typed.strip()
    if not address:
        return tr("Enter the URL that receives events. It starts with https://.")
    if len(address) > WEBHOOK_URL_MAX:
        return tr(
            "This URL is too long. The limit is {most} characters.",
            most=number(WEBHOOK_URL_MAX),
        )
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return NO_ADDRESS
    if parts.scheme != "https":
        return tr("The URL must start with https:// so nobody can read the events in transit.")
    if not host or " " in address or not address.isprintable():
        return NO_ADDRESS
    return ""


class Webhooks:
    """For the event loop's thread. Every coroutine raises Problem. Secrets are returned and never stored."""

    def __init__(self, core: Core, offers: Callable[[], frozenset[str]]) -> None:
        """``offers`` returns what the companion API offers."""
        self.all: tuple[WebhookSubscription, ...] = ()
        self._core = core
        self._offers = offers
        self._turn = asyncio.Lock()
        """Each change replaces everything, so the last one has to be sent last."""
        self._changes = 0

    @property
    def tells_details(self) -> bool:
        """Whether the service returns the content of deliveries."""
        return "deliveries" in self._offers()

    async def last(self) -> bool:
        """Load what was known when the app was last open; return whether there was anything."""
        kept = await self._core.read(lambda rows: get_setting(rows, _SETTING, _SHAPE))
        self.all = self.all or kept or ()
        return kept is not None

    async def refresh(self) -> None:
        """Request all subscriptions, and again if the app changed one before the response arrived."""
        changes = -1
        found: tuple[WebhookSubscription, ...] = ()
        while changes != self._changes:
            changes = self._changes
            found = tuple(await self._call(self._core.client.webhooks.subscriptions(), _NONE))
        await self._take(found)

    async def create(self, url: str, events: Sequence[EventType]) -> CreatedWebhookSubscription:
        """Subscribe a URL. Only this response contains the secret."""
        new = _checked(url, events)
        created = await self._call(self._core.client.webhooks.create(new), _NONE)
        shown = WebhookSubscription.model_validate(created.model_dump())
        self._changes += 1
        await self._take((shown, *(one for one in self.all if one.id != created.id)))
        return created

    async def change(
        self,
        subscription_id: UUID,
        *,
        url: str | None = None,
        events: Sequence[EventType] | None = None,
        active: bool | None = None,
    ) -> None:
        """Change the given fields; ``active`` true resets the failures."""
        if url is not None and (problem := address_problem(url)):
            raise Problem(problem, kind="address")
        if events is not None and not events:
            raise Problem(
                tr("Select at least one event. To stop all events, delete the webhook."), kind="invalid"
            )
        calls, address = self._core.client.webhooks, url.strip() if url is not None else None
        async with self._turn:
            changed = await self._call(
                calls.change(subscription_id, url=address, events=events, active=active), _GONE
            )
        self._changes += 1
        await self._take(tuple(changed if one.id == changed.id else one for one in self.all))

    async def remove(self, subscription_id: UUID) -> None:
        """Delete a subscription and its log permanently. It may already be deleted."""
        with as_problem(), suppress(NotFound):
            await self._core.client.webhooks.delete(subscription_id)
        self._changes += 1
        await self._take(tuple(one for one in self.all if one.id != subscription_id))

    async def test(self, subscription_id: UUID, event_type: EventType | None = None) -> WebhookTestResult:
        """Send a test delivery, and wait for the endpoint's response."""
        calls = self._core.client.webhooks
        return await self._call(calls.test(subscription_id, event_type), _GONE)

    async def deliveries(self, subscription_id: UUID, cursor: str | None = None) -> Page[WebhookDelivery]:
        """Return a page of the log, newest first."""
        calls = self._core.client.webhooks
        return await self._call(calls.deliveries(subscription_id, cursor), _UNTOLD)

    async def details(self, delivery_id: UUID) -> DeliveryDetails | None:
        """Return the content of a delivery; None if the service doesn't return it."""
        if not self.tells_details:
            return None
        with as_problem(), suppress(NotFound):
            return await self._core.client.delivery(delivery_id)
        return None

    async def replay(self, subscription_id: UUID, delivery_id: UUID) -> WebhookReplayResult:
        """Deliver a past event again; a new delivery appears shortly."""
        calls = self._core.client.webhooks
        gone = tr("This delivery is no longer in the log.")
        try:
            return await self._call(calls.replay(subscription_id, delivery_id), gone)
        except Problem as problem:
            # The same code means that the key lacks permission: only the webhook shows whether it's disabled.
            if isinstance(problem.__cause__, Forbidden) and await self._is_off(subscription_id):
                text = tr("The webhook is disabled, so nothing is delivered. Enable it, then replay.")
                raise Problem(text, details=problem.details, kind="forbidden") from problem
            raise

    async def _is_off(self, subscription_id: UUID) -> bool:
        """Ask the service, because the known state may be outdated."""
        try:
            await self.refresh()
        except Problem:
            return False
        return any(one.id == subscription_id and not one.active for one in self.all)

    async def _call(self, call: Awaitable[T], gone: str) -> T:
        try:
            return await self._core.call(call, gone)
        except Problem as problem:
            if isinstance(problem.__cause__, ValidationRefused):
                raise _refusal(problem.__cause__, problem) from problem.__cause__
            raise

    async def _take(self, found: tuple[WebhookSubscription, ...]) -> None:
        self.all = found
        try:
            await self._core.commit(lambda rows: put_setting(rows, _SETTING, found, _SHAPE))
        except DatabaseError as error:
            _log.warning("the list of webhooks could not be kept: %s", error)


def _refusal(error: ValidationRefused, general: Problem) -> Problem:
    """Attribute the service's objection to the URL."""
    issue = next((one for one in error.issues if one.field.split(".")[0] == "url" and one.message), None)
    if issue is None:
        return general
    if issue.type == "private_address":
        text = tr("This address is private. Use a public https address.")
    else:
        text = KNOWN.say(issue.message.removeprefix("cannot be used. ")) or _address_refused(
            in_own_language(issue.message)
        )
    return Problem(text, details=general.details, kind="address")


def _address_refused(said: str) -> str:
    if not said:
        return tr("The service doesn't accept this address. Check that it is a public address with https.")
    said = said.strip().rstrip(".")
    return tr("The service doesn't accept this address. {said}.", said=said[:1].upper() + said[1:])


def _checked(url: str, events: Sequence[EventType]) -> CreateWebhook:
    """Raise Problem for a URL that no service accepts."""
    if problem := address_problem(url):
        raise Problem(problem, kind="address")
    if not events:
        raise Problem(tr("Select at least one event."), kind="invalid")
    try:
        return CreateWebhook(url=url.strip(), events=list(events))
    except ValidationError as error:
        raise Problem(NO_ADDRESS, kind="address") from error


_PYTHON = """\
import hashlib, hmac

def verify(raw, header, secret):
    # raw: the bytes as received
    mac = hmac.new(secret.encode(), raw,
                   hashlib.sha256)
    want = "sha256=" + mac.hexdigest()
    return hmac.compare_digest(
        want.encode(), header.encode())
"""
_NODE = """\
const { createHmac, timingSafeEqual } =
  require("node:crypto");

function verify(raw, header, secret) {
  // raw: the bytes as received
  const mac = createHmac("sha256", secret);
  const want = Buffer.from(
    "sha256=" + mac.update(raw).digest("hex"));
  const got = Buffer.from(header);
  return want.length === got.length
    && timingSafeEqual(want, got);
}
"""
_PHP = """\
function verify(
    string $raw, string $header, string $secret
): bool {
    // $raw: the bytes as received
    $mac = hash_hmac("sha256", $raw, $secret);
    return hash_equals("sha256=" . $mac, $header);
}
"""
_GO = """\
import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

func Verify(raw []byte, header, secret string) bool {
	// raw: the bytes as received
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(raw)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(want), []byte(header))
}
"""
SNIPPETS: Final = {
    "python": ("Python", _PYTHON),
    "node": ("Node", _NODE),
    "php": ("PHP", _PHP),
    "go": ("Go", _GO),
}
"""By language: its name, and a function that checks the signature of the body."""
