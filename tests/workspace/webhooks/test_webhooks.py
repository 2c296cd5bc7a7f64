"""Webhooks over a service in memory: kept, changed at once or not at all, and never with their secret."""

import asyncio
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from app.contract.enums import EventType
from app.language import use
from app.workspace.messages import Problem
from app.workspace.webhooks.comparison import Delivered, attempts_of, body_differences, compared, pretty
from app.workspace.webhooks.webhooks import Webhooks, address_problem
from tests.workspace.behind_proxy import BehindProxy
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.model_webhooks import SECRET, ModelWebhooks
from tests.workspace.opened import opened, until

URL = "https://hooks.example/in"
EVENTS = [EventType.POST_FAILED]


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock(), offers=["deliveries"])


@pytest.fixture
def model(service: ModelService) -> ModelWebhooks:
    return ModelWebhooks(service)


def test_what_is_made_is_listed_and_its_secret_is_handed_out_once(
    tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            created = await workspace.webhooks.create(f" {URL} ", EVENTS)
            assert created.secret == SECRET
            assert [one.url for one in workspace.webhooks.all] == [URL]
            assert not hasattr(workspace.webhooks.all[0], "secret")
        service.online = False
        async with opened(tmp_path, service) as again:
            assert await again.webhooks.last()
            assert [one.events for one in again.webhooks.all] == [EVENTS]
            with pytest.raises(Problem, match="can't be reached"):
                await again.webhooks.refresh()

    asyncio.run(story())
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert SECRET.encode() not in kept
    assert len(model.webhooks) == 1


async def test_a_webhook_is_changed_enabled_and_deleted(
    tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    webhook = UUID(model.add(URL, "post.archived", active=False, failure_count=10))

    async with opened(tmp_path, service) as workspace:
        hooks = workspace.webhooks
        await hooks.refresh()
        await hooks.change(webhook, active=True)
        assert (hooks.all[0].active, hooks.all[0].failure_count) == (True, 0)
        newer = hooks.all[0].events
        await hooks.change(webhook, events=[*newer, EventType.POST_FAILED])
        assert model.webhooks[0]["events"] == ["post.archived", "post.failed"]
        with pytest.raises(Problem, match="at least one event"):
            await hooks.change(webhook, events=[])
        await hooks.change(webhook, url="https://other.example/in")
        await hooks.remove(webhook)
        await hooks.remove(webhook)
        assert hooks.all == ()
        with pytest.raises(Problem, match="deleted elsewhere"):
            await hooks.change(webhook, active=True)


async def test_a_webhook_that_only_a_proxy_did_not_find_stays_listed(tmp_path: Path) -> None:
    service = BehindProxy(HandClock())
    webhook = UUID(ModelWebhooks(service).add(URL))
    async with opened(tmp_path, service) as workspace:
        await workspace.webhooks.refresh()
        service.pages.append(("DELETE", "/webhooks/"))
        with pytest.raises(Problem, match="A proxy or another program answered instead of the service"):
            await workspace.webhooks.remove(webhook)
        assert [one.id for one in workspace.webhooks.all] == [webhook]


async def test_a_service_that_sends_the_bare_list_is_understood(
    tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    model.add(URL)
    model.bare_list = True

    async with opened(tmp_path, service) as workspace:
        await workspace.webhooks.refresh()
        assert len(workspace.webhooks.all) == 1


async def test_a_log_that_the_service_does_not_have_is_no_deleted_webhook(
    tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    assert model.webhooks == []

    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem, match="doesn't provide delivery logs"):
            await workspace.webhooks.deliveries(uuid4())


async def test_past_deliveries_are_paged_replayed_and_compared(
    tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    service.page_max = 2
    webhook = UUID(model.add(URL))
    for number in range(3):
        model.deliver(str(webhook), ago=60 + number)

    async with opened(tmp_path, service) as workspace:
        hooks = workspace.webhooks
        await until(lambda: workspace.sync.last_synced)
        first = await hooks.deliveries(webhook)
        rest = await hooks.deliveries(webhook, first.next_cursor)
        assert (len(first.data), len(rest.data), rest.next_cursor) == (2, 1, None)
        past = first.data[0]
        await hooks.replay(webhook, past.id)
        known = (await hooks.deliveries(webhook)).data
        both = attempts_of(past.event_id, known)
        assert [one.attempt for one in both] == [1, 2]
        sides = [Delivered(one, await hooks.details(one.id)) for one in both]
        differing = {fact.name for fact in compared(*sides) if fact.differs}
        assert differing == {"Sent", "Attempt", "X-Service-Delivery"}
        lines = body_differences(*sides).splitlines()
        assert len([line for line in lines if line.startswith(("+ ", "- "))]) == 4  # id and time
        model.webhooks[0]["active"] = False
        with pytest.raises(Problem, match="Enable it"):
            await hooks.replay(webhook, past.id)


async def test_a_replay_that_is_not_allowed_says_why_and_off_only_where_it_is(
    tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    webhook = UUID(model.add(URL))
    past = UUID(model.deliver(str(webhook)))

    async def refusal_of(hooks: Webhooks) -> str:
        with pytest.raises(Problem) as raised:
            await hooks.replay(webhook, past)
        assert raised.value.kind == "forbidden"
        return raised.value.text

    async with opened(tmp_path, service) as workspace:
        hooks = workspace.webhooks
        await hooks.refresh()
        model.forbids = "The key may only read."
        refused = "The key may only read."
        assert await refusal_of(hooks) == refused
        service.faults = [("GET", "500")] * 99  # whether it is off cannot be asked
        assert await refusal_of(hooks) == refused
        service.faults.clear()
        model.webhooks[0]["active"] = False  # elsewhere
        assert "disabled" in await refusal_of(hooks)
        assert not hooks.all[0].active


async def test_without_the_companion_what_was_sent_is_not_known(
    tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    service.offers = ()
    webhook = UUID(model.add(URL))
    model.deliver(str(webhook))

    async with opened(tmp_path, service) as workspace:
        (delivery,) = (await workspace.webhooks.deliveries(webhook)).data
        assert await workspace.webhooks.details(delivery.id) is None
        assert body_differences(Delivered(delivery), Delivered(delivery)) == ""


@pytest.mark.parametrize("fault", ["500", "429", "garbage", "timeout", "refuse"])
async def test_every_failure_is_a_problem_with_words_and_changes_nothing(
    tmp_path: Path, service: ModelService, model: ModelWebhooks, fault: str
) -> None:
    webhook = UUID(model.add(URL))

    async with opened(tmp_path, service) as workspace:
        hooks = workspace.webhooks
        await hooks.refresh()
        before = hooks.all
        for method, call in (
            ("POST", lambda: hooks.create(URL, EVENTS)),
            ("POST", lambda: hooks.test(webhook)),
            ("POST", lambda: hooks.replay(webhook, uuid4())),
            ("PATCH", lambda: hooks.change(webhook, active=True)),
            ("DELETE", lambda: hooks.remove(webhook)),
        ):
            service.faults = [(method, fault)] * 9
            with pytest.raises(Problem) as raised:
                await call()
            assert raised.value.text
            service.faults.clear()
        assert hooks.all == before


def test_a_refused_address_is_explained_in_the_language_that_is_spoken(tmp_path: Path) -> None:
    """Without the service's English words, which the details have."""
    said = "cannot be used. The address is private or reserved."
    german = "Diese Adresse ist privat. Nimm eine öffentliche https-Adresse."
    use("de")
    try:
        refused = asyncio.run(refusal_of_address(tmp_path, said, "private_address"))
    finally:
        use("en")
    assert (refused.text, refused.kind) == (german, "address")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [("It is too far away.", "It is too far away."), ("has no host", "Has no host.")],
)
def test_what_a_service_says_about_an_address_is_a_sentence_of_its_own(
    tmp_path: Path, said: str, sentence: str
) -> None:
    refused = asyncio.run(refusal_of_address(tmp_path, said, "value_error"))
    assert refused.text == f"The service doesn't accept this address. {sentence}"


async def refusal_of_address(folder: Path, said: str, kind: str) -> Problem:
    """Return the problem when a service doesn't accept an address."""

    class Refusing(ModelService):
        def answer(self, request: httpx.Request) -> httpx.Response:
            if request.method != "POST":
                return super().answer(request)
            issue = {"field": "url", "message": said, "type": kind}
            error = {"code": "validation_error", "message": f"url {said}", "details": {"errors": [issue]}}
            return httpx.Response(400, json={"error": error, "request_id": "r"})

    async with opened(folder, Refusing(HandClock())) as workspace:
        with pytest.raises(Problem) as raised:
            await workspace.webhooks.create("https://router.example/in", EVENTS)
        return raised.value


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Enter the URL"),
        ("http://hooks.example", "must start with https://"),
        ("hooks.example", "must start with https://"),
        ("https://", "isn't a URL"),
        ("https://a b.example", "isn't a URL"),
        ("https://hooks.example:70000000", "isn't a URL"),
        ("https://[::1", "isn't a URL"),
        ("https://hooks.example/" + "x" * 2_100, "2,048"),
        (" https://hooks.example/in?key=1 ", ""),
    ],
)
def test_an_address_that_cannot_be_one_is_said_so(typed: str, words: str) -> None:
    said = address_problem(typed)
    assert (words in said) if words else (said == "")


def test_a_body_of_very_many_lines_stays_as_it_was_sent() -> None:
    assert pretty("[0]") == "[\n  0\n]"
    assert pretty(str([0] * 5_000)) == str([0] * 5_000)


@pytest.mark.parametrize("body", ["", "plain", "[" * 5_000, '{"a":1}', '"' + "x" * 300_000 + '"'])
def test_any_body_can_be_shown(body: str) -> None:
    assert pretty(body) in (body, '{\n  "a": 1\n}')
