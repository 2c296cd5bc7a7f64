"""Options of posts on companion networks: sent with the post, kept with it, read of other programs' posts."""

from pathlib import Path

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.contract.places import PlaceOptions, Visibility
from app.workspace.posts.new import NewPost
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import opened, settled, until

MASTODON = PostingPlatform("mastodon")
CHOSEN = PlaceOptions(content_warning="Wool ahead", visibility=Visibility.UNLISTED, language="de")
SENT = {"content_warning": "Wool ahead", "visibility": "unlisted", "language": "de"}


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service, servers=True)


def new(account: str, options: PlaceOptions | None) -> NewPost:
    return NewPost(account, MASTODON, PostType.TEXT, "Wool", at=START + HOUR, options=options)


@pytest.mark.parametrize(("options", "sent"), [(CHOSEN, SENT), (None, None)])
async def test_options_are_sent_and_kept(
    tmp_path: Path,
    service: ModelService,
    places: ModelPlaces,
    options: PlaceOptions | None,
    sent: dict[str, str] | None,
) -> None:
    account = places.add_account("mastodon")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        (key,) = workspace.plan([new(account, options)])
        await settled(workspace)
        (post,) = places.posts.values()
        assert post["options"] == sent
        assert (await workspace.detail(key)).options == options
    async with opened(tmp_path, service) as workspace:
        assert (await workspace.detail(key)).options == options


async def test_offline_options_wait_with_their_post(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    account = places.add_account("mastodon")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        workspace.plan([new(account, CHOSEN)])
    service.online = True
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        (post,) = places.posts.values()
        assert post["options"] == SENT


async def test_options_of_other_programs_posts_are_read(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    account = places.add_account("mastodon")
    body = {"social_account_id": account, "platform": "mastodon", "description": "Wool", "options": SENT}
    places._store(body, START + HOUR, "scheduled")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        (post,) = workspace.posts.all()
        assert (await workspace.detail(post.key)).options == CHOSEN


async def test_a_post_that_the_service_lost_becomes_a_draft_with_its_options(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    account = places.add_account("mastodon")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        workspace.plan([new(account, CHOSEN)])
        await settled(workspace)
        places.posts.clear()
        await until(workspace.drafts.all)
        (draft,) = workspace.drafts.all()
        assert draft.content.options[account].chosen == CHOSEN
