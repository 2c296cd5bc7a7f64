"""What is known of stored files, over a service in memory: lists, uses, imports and removal."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.workspace.media.imports import ImportState
from app.workspace.media.library import MediaItem, Removal, takers
from app.workspace.messages import Problem
from app.workspace.posts.new import NewPost
from tests.workspace.behind_proxy import BehindProxy
from tests.workspace.media.samples import picture
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, opened, settled, until

PATH = "me/coat-0a1b2c3d.jpg"
Work = Callable[[Opened, ModelService], Coroutine[None, None, None]]


@asynccontextmanager
async def with_a_file(folder: Path, *, lists: bool = True) -> AsyncIterator[tuple[Opened, ModelService]]:
    service = ModelService(HandClock())
    service.files[PATH] = picture(folder).read_bytes()
    service.offers = ("media",) if lists else ()
    service.add_account("instagram")
    async with opened(folder, service) as workspace:
        await workspace.refresh()
        yield workspace, service


def running(work: Work) -> Callable[[Path], None]:
    """A test in a workspace whose service has one file."""

    def test(tmp_path: Path) -> None:
        async def main() -> None:
            async with with_a_file(tmp_path) as (workspace, service):
                await workspace.media.library.refresh()
                await work(workspace, service)

        asyncio.run(main())

    return test


async def the_item(workspace: Opened) -> MediaItem:
    (item,) = await workspace.media.library.items()
    return item


def planned(workspace: Opened, service: ModelService) -> str:
    """Plans a post with the file."""
    account = str(service.connections[0]["id"])
    post = NewPost(
        account, PostingPlatform.INSTAGRAM, PostType.IMAGE, "Wool", at=START + HOUR, media_storage_path=PATH
    )
    (key,) = workspace.plan([post])
    return key


@running
async def test_a_file_is_called_as_it_was_and_tells_for_whom_it_is(
    workspace: Opened, service: ModelService
) -> None:
    item = await the_item(workspace)
    assert item.path in service.files
    assert (item.name, item.content_type, item.used_in) == ("coat.jpg", "image/jpeg", ())
    assert PostingPlatform.INSTAGRAM in takers(item.file.kind, item.facts)
    assert PostingPlatform.YOUTUBE not in takers(item.file.kind, item.facts)


@running
async def test_posts_that_are_not_cancelled_use_their_file_at_once(
    workspace: Opened, service: ModelService
) -> None:
    key = planned(workspace, service)
    item = await the_item(workspace)
    assert [post.key for post in item.used_in] == [post.key for post in item.needed_by] == [key]
    workspace.cancel([key])
    assert (await the_item(workspace)).used_in == ()


@running
async def test_a_file_is_removed_kept_or_was_gone(workspace: Opened, service: ModelService) -> None:
    library = workspace.media.library
    key = planned(workspace, service)
    await settled(workspace)
    assert await library.remove(PATH) is Removal.KEPT
    workspace.cancel([key])
    await settled(workspace)
    assert await library.remove(PATH) is Removal.REMOVED
    assert (await library.items(), service.files) == ([], {})
    assert await library.remove(PATH) is Removal.WAS_GONE


@running
async def test_a_file_of_a_post_that_was_not_sent_yet_is_kept(
    workspace: Opened, service: ModelService
) -> None:
    service.online = False
    planned(workspace, service)
    assert await workspace.media.library.remove(PATH) is Removal.KEPT


async def test_a_file_that_only_a_proxy_did_not_find_is_kept(tmp_path: Path) -> None:
    service = BehindProxy(HandClock(), files={PATH: b"coat"}, offers=("media",))
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await workspace.media.library.refresh()
        service.pages.append(("DELETE", "/media/"))
        with pytest.raises(Problem, match="A proxy or another program answered instead of the service"):
            await workspace.media.library.remove(PATH)
        assert [item.path for item in await workspace.media.library.items()] == [PATH]


@running
async def test_what_cannot_be_asked_is_not_said_to_wait(workspace: Opened, service: ModelService) -> None:
    service.online = False
    with pytest.raises(Problem, match="then try again") as caught:
        await workspace.media.library.remove(PATH)
    assert caught.value.kind == "unreachable"
    assert len(await workspace.media.library.items()) == 1


@running
async def test_a_stored_file_gets_one_upload_for_all_drafts(workspace: Opened, service: ModelService) -> None:
    library = workspace.media.library
    first, second = await library.upload_of(PATH), await library.upload_of(PATH)
    assert (first, first.name, first.is_done) == (second, "coat.jpg", True)
    assert "PUT" not in [request.method for request in service.requests]
    with pytest.raises(Problem, match="no longer exists"):
        await library.upload_of("me/other.jpg")


@running
async def test_an_import_is_listed_tried_again_and_forgotten(
    workspace: Opened, service: ModelService
) -> None:
    imports = workspace.media.imports
    one = imports.begin(" https://okafor.studio/linen.jpg ")
    await until(lambda: imports.all()[0].state is ImportState.FAILED)
    assert (one.name, imports.all()[0].reason) == ("linen.jpg", "Nothing was found at this address.")
    service.web["https://okafor.studio/linen.jpg"] = service.files[PATH] or b""
    imports.retry(one.id)
    await until(lambda: imports.all()[0].state is ImportState.DONE)
    assert {item.name for item in await workspace.media.library.items()} == {"coat.jpg", "linen.jpg"}
    imports.forget(one.id)
    assert imports.all() == []


@running
async def test_what_is_no_address_is_refused(workspace: Opened, service: ModelService) -> None:
    for typed in ("", "coat.jpg", "ftp://okafor.studio/coat.jpg", "https://", "https://a b/c"):
        with pytest.raises(Problem, match="isn't a file address"):
            workspace.media.imports.begin(typed)
    assert "POST" not in [request.method for request in service.requests]


@running
async def test_a_file_that_the_service_no_longer_lists_is_forgotten(
    workspace: Opened, service: ModelService
) -> None:
    other = "me/hem.jpg"
    service.files[other] = service.files[PATH]
    await workspace.media.library.refresh()
    del service.files[other]
    await workspace.media.library.refresh()
    assert [item.path for item in await workspace.media.library.items()] == [PATH]


async def test_without_a_list_of_files_those_are_known_that_posts_name(tmp_path: Path) -> None:
    async with with_a_file(tmp_path, lists=False) as (workspace, service):
        await workspace.media.library.refresh()
        assert not workspace.media.library.can_describe
        planned(workspace, service)
        await settled(workspace)
        item = await the_item(workspace)
        assert (item.path, item.content_type, item.file.size_bytes) == (PATH, "image/jpeg", None)
