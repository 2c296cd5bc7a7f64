"""A person's visit: every pane is opened, posts are planned, moved and cancelled, and all of it is judged."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtWidgets import QAbstractButton, QWidget

from app.contract.enums import EventType, PostingPlatform, PostType
from app.desktop.shell.house import House
from app.workspace.clock import wall_clock
from app.workspace.messages import Problem
from app.workspace.posts.new import NewPost
from tests.hostile.running import Elsewhere, State
from tests.hostile.seen import reason, texts, unfit
from tests.hostile.variation import Variation

T = TypeVar("T")

_PATIENCE_S = 20.0
_HOUR = 3_600_000
_WORDS = "Planned in the window"


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane, what it is made of, and whether it shows all of it."""

    name: str
    widget: QWidget
    area: str
    is_full: Callable[[], bool]


def panes(house: House, state: State) -> Iterator[Pane]:
    """Every pane in the order of the rail."""
    workspace = house.workspace
    yield Pane(
        "calendar", house.calendar, "posts", lambda: house.calendar.model.rowCount() >= len(state.posts) > 0
    )
    yield Pane("drafts", house.drafts, "", lambda: True)
    yield Pane("media", house.media, "media", lambda: not house.media.loading.isVisible())
    yield Pane(
        "connections",
        house.connections,
        "connections",
        lambda: len(house.connections.cards()) == len(workspace.accounts) == state.connections > 0,
    )
    yield Pane("analytics", house.analytics, "analytics", lambda: _has_numbers(house))
    yield Pane(
        "history", house.history, "history", lambda: house.history.model.rowCount() >= state.history > 0
    )
    yield Pane("usage", house.usage, "usage", lambda: house.usage.seen is not None)
    yield Pane(
        "webhooks",
        house.webhooks,
        "webhooks",
        lambda: len(house.webhooks.model.webhooks) >= state.webhooks > 0,
    )


def _has_numbers(house: House) -> bool:
    board = house.analytics.board
    return board is not None and board.isVisible()


async def until(condition: Callable[[], object], what: str | Callable[[], str], house: House) -> None:
    """Waits for what happens by itself; says what there is instead when it does not."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            while not condition():  # noqa: ASYNC110  whatever it waits for tells nobody
                await asyncio.sleep(0.03)
    except TimeoutError:
        pane = house.window._panes.currentWidget()
        said = " | ".join(dict.fromkeys(texts(pane) if pane else []))[:1_500]
        told = what if isinstance(what, str) else what()
        raise AssertionError(f"{told}; {house.workspace.sync}; the pane says: {said}") from None


async def look_around(house: House, variation: Variation, state: State) -> None:
    """Opens every pane. Each shows what there is, or a sentence with the reason."""
    for pane in panes(house, state):
        house.window.go(pane.name)
        await until(lambda pane=pane: _is_fine(pane, variation, state), f"{pane.name} shows nothing", house)  # type: ignore[misc]
        assert not (found := unfit(pane.widget)), f"{pane.name} says {found}"
    await look_at_settings(house, variation.name)


async def look_at_settings(house: House, address: str) -> None:
    """Opens every section of the settings; the logs hold what programs say, ``address`` is any word."""
    settings = house.settings
    house.window.go("settings")
    for name in settings.items:
        settings.show_section(name)
        await until(lambda: len(texts(settings)) > len(settings.items), f"settings show no {name}", house)
        assert name == "logs" or not (found := unfit(settings, address)), f"settings say {found} of {name}"


def _is_fine(pane: Pane, variation: Variation, state: State) -> bool:
    if pane.is_full():
        return True
    if pane.area in variation.fails:
        return bool(reason(pane.widget))
    if _is_empty(pane.area, state):
        return not reason(pane.widget) and bool(texts(pane.widget))
    for button in pane.widget.findChildren(QAbstractButton):
        if button.text() == "Try again" and button.isVisible() and button.isEnabled():
            button.click()
    return False


def _is_empty(area: str, state: State) -> bool:
    """Whether the service has nothing of the kind."""
    sizes = {"posts": len(state.posts), "connections": state.connections}
    sizes |= {"history": state.history, "webhooks": state.webhooks}
    sizes |= {"analytics": state.history + state.metrics}
    return sizes.get(area) == 0


def known(house: House) -> Counter[tuple[int, str]]:
    """Times and states of all posts, as the app has them."""
    return Counter((post.at, post.status.value) for post in house.workspace.posts.all())


async def agree(house: House, elsewhere: Elsewhere, when: str) -> None:
    """Waits until the app knows what the service tells."""
    state = await elsewhere.state()
    wanted = state.planned()

    def difference() -> str:
        return f"{when}: {known(house) - wanted} instead of {wanted - known(house)}"

    await until(lambda: known(house) == wanted, difference, house)


async def look_closely(house: House) -> None:
    """Opens a post of each state and kind beside the calendar, and the composer."""
    house.window.go("calendar")
    seen: set[tuple[str, str, str]] = set()
    for post in house.workspace.posts.all():
        kind = (post.status.value, post.post_type.value, post.platform.value)
        if kind in seen or len(seen) > 12:
            continue
        seen.add(kind)
        house.inspect(post.key)
        await asyncio.sleep(0)
        assert house.window.side is not None
        assert not (found := unfit(house.window.side)), f"the inspector says {found}"
    house.compose()
    await asyncio.sleep(0.01)
    assert house.window.side is not None
    assert not (found := unfit(house.window.side)), f"the composer says {found}"
    house.window.close_side()


async def work(house: House, variation: Variation, elsewhere: Elsewhere) -> None:
    """Plans a post, moves it and cancels it."""
    workspace = house.workspace
    account = next((one for one in workspace.accounts.values() if one.platform.value == "x"), None)
    if account is None:
        assert not variation.writes, "there is no account to plan with"
        return
    at = wall_clock() // 1_000 * 1_000 + 50 * _HOUR
    [key] = workspace.plan([NewPost(account.key, PostingPlatform.X, PostType.TEXT, _WORDS, at=at)])
    await _sent(house, variation, elsewhere, "a new post")
    workspace.move({key: at + _HOUR})
    await _sent(house, variation, elsewhere, "a move")
    workspace.cancel([key])
    await _sent(house, variation, elsewhere, "a cancellation")


async def _sent(house: House, variation: Variation, elsewhere: Elsewhere, what: str) -> None:
    workspace = house.workspace
    if variation.writes:
        await until(lambda: workspace.sync.waiting == 0, f"{what} is not sent", house)
        await agree(house, elsewhere, f"after {what}")
        return
    await until(lambda: workspace.sync.waiting == 0 or _is_told(house), f"nothing is said of {what}", house)
    assert not (found := unfit(house.window.messages)), f"messages say {found}"


def _is_told(house: House) -> bool:
    sync = house.workspace.sync
    return bool(house.window.messages.texts() or sync.problem or not sync.connected)


async def administer(house: House) -> None:
    """Asks for boards, and has a webhook made, tested, replayed and deleted; a refusal is a sentence."""
    workspace = house.workspace
    for account in list(workspace.accounts.values()):
        if account.platform.value == "pinterest":
            await _tried(workspace.boards.ask(account.key))
    webhooks = workspace.webhooks
    await _tried(webhooks.create("https://receiver.example/new", [EventType.POST_FAILED]))
    for webhook in webhooks.all[:1]:
        await _tried(webhooks.test(webhook.id))
        await _tried(webhooks.change(webhook.id, active=True))
        page = await _tried(webhooks.deliveries(webhook.id))
        for delivery in page.data[:1] if page else ():
            await _tried(webhooks.replay(webhook.id, delivery.id))
        await _tried(webhooks.remove(webhook.id))


async def _tried(work: Awaitable[T]) -> T | None:
    try:
        return await work
    except Problem as problem:
        refusal = problem.text
    assert refusal.endswith("."), refusal
    return None
