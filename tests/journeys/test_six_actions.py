"""From a dropped video of 40 MB to a post on three platforms, in six obvious actions."""

import hashlib
import io
from pathlib import Path

import pytest

from app.contract.enums import PostStatus, PostType
from app.contract.posts import PostListQuery
from app.desktop.calendar.days import Span
from app.desktop.composer import ComposerPanel
from app.workspace.clock import to_millis
from tests.journeys.agreement import DAYS
from tests.journeys.conftest import Play
from tests.journeys.film import film
from tests.journeys.hands import Hands
from tests.journeys.stage import Actor, Stage
from tests.journeys.test_plan_and_publish import a_week_from_now

_SIZE = 40 * 1024 * 1024
_TEXT = "How the long coat is made, in one minute"


@pytest.fixture(scope="session")
def dropped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film(tmp_path_factory.mktemp("film") / "long-coat.mp4", _SIZE)


async def composer(actor: Actor) -> ComposerPanel:
    """Return the composer opened by the drop."""
    await actor.until(
        lambda: (
            isinstance(panel := actor.application.window.side, ComposerPanel)
            and panel.text_box.editor.hasFocus()
            and not panel.text_box.editor.isReadOnly()
        )
    )
    panel = actor.application.window.side
    assert isinstance(panel, ComposerPanel)
    return panel


def test_a_film_dropped_on_a_day_is_scheduled_on_three_platforms_in_six_actions(
    stage: Stage, play: Play, dropped: Path
) -> None:
    content = hashlib.sha256(dropped.read_bytes()).hexdigest()

    async def journey() -> None:
        async with stage.app() as actor:
            keys = [await actor.connect(platform) for platform in ("instagram", "linkedin", "x")]
            day = DAYS.place(a_week_from_now(9, 0)).day
            actor.application.window.go("calendar")
            actor.controller.calendar.show_span(Span.MONTH, day)
            hands = Hands(actor.application.window)

            hands.drop_file(dropped, actor.controller.calendar.grid.view.viewport(), actor.day(day), "a day")
            panel = await composer(actor)
            hands.write(_TEXT)
            for key in keys:
                hands.click(panel.accounts.toggle(key))
            hands.click(panel.frame.schedule)

            assert len(hands.done) <= 6, hands.done
            await actor.until(lambda: len(actor.workspace.posts) == 3 and actor.workspace.sync.waiting == 0)
            await scheduled_with(stage, a_week_from_now(9, 0), content)

    play(journey())


async def scheduled_with(stage: Stage, at: int, content: str) -> None:
    """Check that the service has three posts at that time, with the complete file (by SHA-256)."""
    client = stage.service.client()
    posts = (await client.list_posts(PostListQuery())).data
    assert sorted(post.platform.value for post in posts) == ["instagram", "linkedin", "x"]
    assert {(to_millis(post.scheduled_at), post.status) for post in posts} == {(at, PostStatus.SCHEDULED)}
    assert {(post.post_type, post.description) for post in posts} == {(PostType.VIDEO, _TEXT)}
    (path,) = {post.media_storage_path for post in posts}
    stored = io.BytesIO()
    await client.media.download(await client.media.view(path), stored, 2 * _SIZE)
    assert hashlib.sha256(stored.getvalue()).hexdigest() == content
    await client.close()
