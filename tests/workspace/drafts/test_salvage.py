"""What a service forgets or changes of posts that were planned here is kept as drafts, and said."""

import asyncio
import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app.contract.base import format_timestamp
from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.clock import from_millis
from app.workspace.editing.boards import Board
from app.workspace.messages import MessageAction, Problem
from app.workspace.posts.new import NewPost
from app.workspace.posts.planned import SyncState
from tests.workspace.drafts.faithless import CHANGED_ONE, LOST_ONE, Faithless, said, texts
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until
from tests.workspace.test_opening_rescue import no_room


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> Faithless:
    return Faithless(clock)


async def test_a_post_that_the_service_forgets_becomes_a_draft_with_everything_in_it(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account("pinterest")
    service.files["me/picture-12345678.jpg"] = b"jpeg"
    pin = NewPost(
        account,
        PostingPlatform.PINTEREST,
        PostType.IMAGE,
        "A kitchen",
        "Tiles",
        START + HOUR,
        "me/picture-12345678.jpg",
        "board-9",
        "Kitchens",
        "https://shop.example/tiles",
    )
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([pin])
        await settled(workspace)
        service.posts.clear()
        await until(lambda: key not in workspace.posts)
        await until(lambda: said(workspace) == [LOST_ONE])
        told = workspace.said[0]
        assert (told.kind, told.details) == ("warning", "“Tiles”")
        assert told.action == MessageAction("Show drafts", "show_drafts")
        assert any(key in changes.removed and changes.sync for changes in workspace.heard)
        assert any(changes.drafts for changes in workspace.heard)
        [draft] = workspace.drafts.all()
        content = draft.content
        assert (content.text, content.title, content.at) == ("A kitchen", "Tiles", START + HOUR)
        assert content.account_keys == (account,)
        assert content.boards == {account: Board("board-9", "Kitchens")}
        assert content.link == "https://shop.example/tiles"
    async with opened(tmp_path, service) as workspace:
        assert [one.content for one in workspace.drafts.all()] == [content]
        upload = workspace.media.uploads.get(content.upload_id)
        assert upload is None or upload.storage_path == "me/picture-12345678.jpg"
        if upload is None:  # nobody told of which kind the file is
            assert content.upload_id == "lost/me/picture-12345678.jpg"


async def test_a_stored_file_goes_with_the_text(tmp_path: Path, service: Faithless) -> None:
    account = service.add_account()
    picture = tmp_path / "leaf.png"
    picture.write_bytes(_png())
    async with opened(tmp_path, service) as workspace:
        [upload] = await workspace.media.add_files([picture])
        await until(lambda: (one := workspace.media.uploads.get(upload.id)) and one.is_done)
        stored = workspace.media.uploads.get(upload.id)
        assert stored is not None
        post = replace(
            new_post(account, "Leaf"), post_type=PostType.IMAGE, media_storage_path=stored.storage_path
        )
        workspace.plan([post])
        await settled(workspace)
        service.posts.clear()
        await until(workspace.drafts.all)
        assert [one.content.upload_id for one in workspace.drafts.all()] == [upload.id]


async def test_a_stored_file_whose_upload_was_forgotten_gets_another_one(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    picture = tmp_path / "leaf.png"
    picture.write_bytes(_png())
    async with opened(tmp_path, service) as workspace:
        [upload] = await workspace.media.add_files([picture])
        await until(lambda: (one := workspace.media.uploads.get(upload.id)) and one.is_done)
        stored = workspace.media.uploads.get(upload.id)
        assert stored is not None
        await workspace.media.uploads.cancel(upload.id)
        post = replace(
            new_post(account, "Leaf"), post_type=PostType.IMAGE, media_storage_path=stored.storage_path
        )
        workspace.plan([post])
        await settled(workspace)
        service.posts.clear()
        await until(workspace.drafts.all)
        [draft] = workspace.drafts.all()
        again = workspace.media.uploads.get(draft.content.upload_id)
        assert again is not None
        assert (again.storage_path, again.is_done) == (stored.storage_path, True)
        assert again.id != upload.id


async def test_a_post_that_is_not_listed_after_it_was_accepted_is_not_lost(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account, "Accepted, then gone")])
        await until(lambda: workspace.sync.waiting == 0)
        service.missing = {str(post_id) for post_id in service.posts}
        await until(lambda: key not in workspace.posts)
        await until(lambda: said(workspace) == [LOST_ONE])
        assert texts(workspace) == ["Accepted, then gone"]


async def test_an_empty_list_is_believed_only_when_a_second_one_says_the_same(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    theirs = [service.add_post(account, START + n * HOUR, f"theirs {n}") for n in range(1, 18)]
    pace = replace(QUICK, second_look=600)
    async with opened(tmp_path, service, pace=pace) as workspace:
        workspace.plan([new_post(account, f"ours {n}", START + n * HOUR) for n in range(1, 11)])
        await settled(workspace)
        assert len(workspace.posts) == 27
        service.listed_none = True
        await workspace.refresh()
        await workspace.refresh()  # sooner than in a minute: it is the same look
        assert len(workspace.posts) == 27
        service.listed_none = False
        await workspace.refresh()
        assert (len(workspace.posts), texts(workspace), said(workspace)) == (27, [], [])
    async with opened(tmp_path, service) as workspace:
        service.listed_none = True
        await until(lambda: not len(workspace.posts))
        await until(lambda: said(workspace))
        assert said(workspace) == [
            ("The service no longer has 10 posts you scheduled here. Their texts were saved to Drafts.")
        ]
        assert texts(workspace) == sorted(f"ours {n}" for n in range(1, 11))
        service.listed_none = False
        await until(lambda: len(workspace.posts) == 27)
        assert {key for key in theirs if key not in workspace.posts} == set()


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_the_drafts_of_posts_that_are_back_are_removed_unless_they_were_edited(
    tmp_path: Path, service: Faithless, clock: HandClock, *, is_restarted: bool
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, f"ours {n}", START + 2 * HOUR) for n in range(4)])
        await settled(workspace)
        for post in service.posts.values():
            if post["description"] == "ours 1":
                lost_differently = str(post["id"])
        service.listed_none = True
        await until(lambda: not len(workspace.posts) and said(workspace))
        edited = next(one for one in workspace.drafts.all() if one.content.text == "ours 0")
        clock.now += 1
        workspace.drafts.keep(replace(edited.content, text="ours, and better"))
        await until(lambda: workspace.is_writing_kept)
        if not is_restarted:
            service.posts[UUID(lost_differently)]["description"] = "theirs"
            service.listed_none = False
            await _are_back(workspace)
    if is_restarted:
        service.posts[UUID(lost_differently)]["description"] = "theirs"
        service.listed_none = False
        async with opened(tmp_path, service) as workspace:
            await _are_back(workspace)
    async with opened(tmp_path, service) as workspace:
        assert texts(workspace) == ["ours 1", "ours, and better"]


async def _are_back(workspace: Opened) -> None:
    await until(lambda: len(workspace.posts) == 4)
    await settled(workspace)
    assert texts(workspace) == ["ours 1", "ours, and better"]
    assert "2 lost posts are back, so their drafts were removed." in said(workspace)


async def test_posts_that_are_back_in_the_list_have_to_be_missed_twice_again(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    pace = replace(QUICK, second_look=0.3, poll_active=600, poll_idle=600, everything=600)
    for n in range(4):  # not planned here: those are missed only some seconds after their answer
        service.add_post(account, START + HOUR, f"theirs {n}")
    async with opened(tmp_path, service, pace=pace) as workspace:
        await until(lambda: len(workspace.posts) == 4)
        service.listed_none = True
        await workspace.refresh()
        service.listed_none = False
        await workspace.refresh()
        await asyncio.sleep(0.35)  # the second look would be due, had the first one not been taken back
        service.listed_none = True
        await workspace.refresh()
        assert len(workspace.posts) == 4


async def test_many_posts_that_cannot_be_looked_up_are_looked_for_again_before_they_are_lost(
    tmp_path: Path, service: Faithless, clock: HandClock
) -> None:
    account = service.add_account()
    pace = replace(QUICK, second_look=600, everything=600)
    for n in range(150):  # those that are missing are not on the newest page
        service.add_post(account, START + 100 * HOUR, f"later {n}")
    async with opened(tmp_path, service, pace=pace) as workspace:
        keys = workspace.plan([new_post(account, f"ours {n}", START + HOUR) for n in range(5)])
        await settled(workspace)
        service.missing = {
            str(one) for one, post in service.posts.items() if post["description"][:4] == "ours"
        }
        clock.now = START + 2 * HOUR
        before = len(service.requests)

        def looked_for() -> Counter[str]:
            asked = (one for one in service.requests[before:] if one.method == "GET")
            return Counter(one.url.path.rpartition("/")[2] for one in asked)

        await until(lambda: all(looked_for()[one] >= 3 for one in service.missing))
        assert all(key in workspace.posts for key in keys)


async def test_what_was_due_may_have_been_published_and_the_message_says_so(
    tmp_path: Path, service: Faithless, clock: HandClock
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "Due"), new_post(account, "Later", START + 9 * HOUR)])
        await settled(workspace)
        clock.now = START + 2 * HOUR
        service.missing = {str(post_id) for post_id in service.posts}
        await until(lambda: len(workspace.drafts.all()) == 2)
        await until(lambda: said(workspace))
    told = " ".join(said(workspace))
    assert "may have been published" in told


@pytest.mark.parametrize("why", ["cancelled", "published", "elsewhere"])
async def test_what_was_not_to_be_published_or_is_or_is_somebody_elses_becomes_no_draft(
    tmp_path: Path, service: Faithless, why: str
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        if why == "elsewhere":
            key = service.add_post(account, START + HOUR)
            await workspace.refresh()
        else:
            [key] = workspace.plan([new_post(account)])
            await settled(workspace)
        if why == "cancelled":
            workspace.cancel([key])
        if why == "published":
            for post in service.posts.values():
                post |= {"status": "posted", "posted_at": format_timestamp(from_millis(START))}
            await until(lambda: (one := workspace.posts.get(key)) and one.published)
        await settled(workspace)
        service.posts.clear()
        await until(lambda: key not in workspace.posts)
        await asyncio.sleep(3 * QUICK.losses)
        assert (texts(workspace), said(workspace)) == ([], [])


async def test_a_post_that_is_gone_when_it_is_to_be_cancelled_is_cancelled(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account)])
        await settled(workspace)
        service.online = False
        await until(lambda: not workspace.sync.connected)
        workspace.cancel([key])
        service.posts.clear()
        service.online = True
        await until(lambda: key not in workspace.posts)
        await asyncio.sleep(3 * QUICK.losses)
        assert (texts(workspace), said(workspace)) == ([], [])


async def test_a_post_that_is_gone_when_it_is_to_be_moved_becomes_a_draft_at_its_new_time(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account, "Moved")])
        await settled(workspace)
        service.posts.clear()
        workspace.move({key: START + 7 * HOUR})
        await until(lambda: LOST_ONE in said(workspace))
        [draft] = workspace.drafts.all()
        assert draft.content.text == "Moved"
        assert "“Moved” wasn't moved: it no longer exists." in said(workspace)


CHANGES = {
    "text": ({"description": ""}, "the text"),
    "title": ({"title": "Another"}, "the title"),
    "time": ({"scheduled_at": format_timestamp(from_millis(START + 5 * HOUR))}, "the time"),
    "a minute": ({"scheduled_at": format_timestamp(from_millis(START + HOUR + 60_000))}, "the time"),
    "a minute less": ({"scheduled_at": format_timestamp(from_millis(START + HOUR - 60_000))}, "the time"),
    "several": ({"title": "Another", "description": "Other words"}, "the text, the title"),
    "file": ({"media_storage_path": "me/other-12345678.jpg"}, "the file"),
}


@pytest.mark.parametrize("what", CHANGES)
async def test_an_answer_that_differs_from_what_was_sent_leaves_the_text_as_a_draft(
    tmp_path: Path, service: Faithless, what: str
) -> None:
    change, named = CHANGES[what]

    def falsify(post: dict[str, Any]) -> dict[str, Any]:
        service.posts[UUID(post["id"])] |= change
        return post | change

    account = service.add_account()
    service.answers = falsify
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "What I wrote", START + HOUR)])
        await settled(workspace)
        await until(lambda: said(workspace) == [CHANGED_ONE])
        assert workspace.said[0].details == f"“What I wrote”: {named}"
        [draft] = workspace.drafts.all()
        assert (draft.content.text, draft.content.at) == ("What I wrote", START + HOUR)
        await workspace.refresh()  # it is said once
        await asyncio.sleep(3 * QUICK.losses)
        assert said(workspace) == [CHANGED_ONE]
    async with opened(tmp_path, service) as workspace:
        assert texts(workspace) == ["What I wrote"]


async def test_a_post_that_others_moved_before_its_answer_came_is_not_one_that_the_service_changed(
    tmp_path: Path, service: Faithless
) -> None:
    def move_elsewhere() -> None:
        [post] = service.posts.values()
        post["scheduled_at"] = format_timestamp(from_millis(START + 5 * HOUR))

    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        service.faults = [("POST", "lose")]
        service.during_post = lambda: setattr(service, "during_post", move_elsewhere)
        [key] = workspace.plan([new_post(account, "Ours", START + HOUR)])
        await settled(workspace)
        await until(lambda: [one.at for one in workspace.posts] == [START + 5 * HOUR])
        await asyncio.sleep(3 * QUICK.losses)
        assert (texts(workspace), said(workspace)) == ([], [])
        [post] = workspace.posts.all()
        assert post.key == key


@pytest.mark.logs_error("a confirmation could not be kept")
async def test_what_could_not_be_kept_of_an_answer_does_not_override_others_later(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    with ExitStack() as full:
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            service.during_post = lambda: full.enter_context(no_room(tmp_path))
            [key] = workspace.plan([new_post(account, "Ours", START + HOUR)])
            await until(lambda: service.posts)
            await until(lambda: (post := workspace.posts.get(key)) and post.sync is SyncState.WAITING)
            full.close()
            await settled(workspace)
            [post] = service.posts.values()
            post["scheduled_at"] = format_timestamp(from_millis(START + 5 * HOUR))
            await until(lambda: [one.at for one in workspace.posts] == [START + 5 * HOUR])
            await asyncio.sleep(3 * QUICK.losses)
            assert texts(workspace) == []
    async with opened(tmp_path, service) as workspace:
        assert workspace.sync.waiting == 0
        await settled(workspace)
        assert [one.at for one in workspace.posts] == [START + 5 * HOUR]
        assert len(service.posts) == 1


async def test_a_time_that_was_rounded_by_less_than_a_minute_is_no_change(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    rounded = format_timestamp(from_millis(START + HOUR - 59_999))
    service.answers = service.tells = lambda post: post | {"scheduled_at": rounded}
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "Ours", START + HOUR)])
        await settled(workspace)
        await asyncio.sleep(3 * QUICK.losses)
        assert (texts(workspace), said(workspace)) == ([], [])


async def test_an_account_that_differs_is_noticed_too(tmp_path: Path, service: Faithless) -> None:
    account, other = service.add_account(), service.add_account()
    service.answers = lambda post: post | {"social_account_id": other}
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "For the first")])
        await until(lambda: said(workspace) == [CHANGED_ONE])
        assert workspace.said[0].details == "“For the first”: the account"
        assert [one.content.account_keys for one in workspace.drafts.all()] == [(account,)]


@pytest.mark.parametrize("together", [False, True])
async def test_a_list_never_replaces_what_was_written_without_a_trace(
    tmp_path: Path, service: Faithless, together: bool
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        long = "word " * 100
        posts = [new_post(account, f"{long}{n}") for n in range(1 + together)]
        workspace.plan(posts)
        await settled(workspace)
        service.tells = lambda post: post | {"description": ""}
        await until(lambda: len(workspace.drafts.all()) == len(posts))
        assert texts(workspace) == sorted(post.text for post in posts)


async def test_what_lies_behind_the_headline_is_not_lost_either(tmp_path: Path, service: Faithless) -> None:
    """The change is seen when the service says anything new of the post."""

    account = service.add_account()
    text = "word " * 100 + "end"
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account, text)])
        await settled(workspace)
        service.tells = lambda post: post | {"description": "word " * 100, "status": "queued"}
        await until(lambda: (one := workspace.posts.get(key)) and one.status is PostStatus.QUEUED)
        await until(lambda: texts(workspace) == [text])


@pytest.mark.parametrize(
    "told", ["Zoë\r\nlines", "  Zoë\nlines\n", "Zoë\nlines", "Zoe\N{COMBINING DIAERESIS}\nlines"]
)
async def test_what_a_service_may_normalize_is_no_change(
    tmp_path: Path, service: Faithless, told: str
) -> None:
    account = service.add_account()
    service.answers = lambda post: post | {"description": told}
    service.tells = service.answers
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "Zoë\nlines")])
        await settled(workspace)
        await asyncio.sleep(3 * QUICK.losses)
        assert (texts(workspace), said(workspace)) == ([], [])


async def test_a_post_that_is_moved_elsewhere_is_no_text_that_was_changed(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account, "Ours")])
        await settled(workspace)
        for post in service.posts.values():
            post["scheduled_at"] = format_timestamp(from_millis(START + 9 * HOUR))
        await until(lambda: (one := workspace.posts.get(key)) and one.at == START + 9 * HOUR)
        workspace.move({key: START + 12 * HOUR})
        await settled(workspace)
        await asyncio.sleep(3 * QUICK.losses)
        assert (texts(workspace), said(workspace)) == ([], [])


async def test_posts_that_are_lost_within_a_moment_are_one_message(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    pace = replace(QUICK, losses=600)
    async with opened(tmp_path, service, pace=pace) as workspace:
        keys = workspace.plan([new_post(account, "one"), new_post(account, "two")])
        await settled(workspace)
        for key in keys:
            service_id = workspace._core.mirror.service_id(key)
            service.missing = {*service.missing, str(service_id)}
            await until(lambda key=key: key not in workspace.posts)  # type: ignore[misc]  # bound now
        await until(lambda: len(texts(workspace)) == 2)
        assert said(workspace) == []
        told = workspace.said
    assert [(message.text, message.details) for message in told] == [
        (
            ("The service no longer has 2 posts you scheduled here. Their texts were saved to Drafts."),
            "“one”\n“two”",
        )
    ]


async def test_a_post_that_cannot_be_made_a_draft_yet_stays_in_the_calendar(
    tmp_path: Path, service: Faithless
) -> None:
    """With a full disk it would be gone from the window, and there would be no draft either."""

    account = service.add_account()
    pace = replace(QUICK, poll_active=600, poll_idle=600, everything=600, save_position=600)
    async with opened(tmp_path, service, pace=pace) as workspace:
        [key] = workspace.plan([new_post(account, "Precious " * 300)])
        await settled(workspace)
        await until(lambda: not workspace._core.mirror.sending)
        service.posts.clear()
        workspace.heard.clear()
        with no_room(tmp_path):
            with pytest.raises(Problem, match="disk is full"):
                await workspace.refresh()
            there = workspace.posts.get(key)
            assert there is not None
            assert there.headline.startswith("Precious")
            removed = [changes.removed for changes in workspace.heard if changes.removed]
            assert set(removed) == {frozenset({key})}  # a round of its own may have tried as well
            assert any(key in changes.posts and changes.sync for changes in workspace.heard)
        await workspace.refresh()
        assert key not in workspace.posts
        await until(lambda: texts(workspace) == ["Precious " * 300])


async def test_one_id_for_two_posts_loses_neither_text(tmp_path: Path, service: Faithless) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "First")])
        await settled(workspace)
        [only] = service.posts
        service.answers = lambda post: json.loads(json.dumps(post | {"id": str(only)}))
        workspace.plan([new_post(account, "Second")])
        await until(lambda: "First" in texts(workspace))
        shown = {post.headline for post in workspace.posts} | set(texts(workspace))
        assert {"First", "Second"} <= shown


def _png() -> bytes:
    from io import BytesIO

    from PIL import Image

    out = BytesIO()
    Image.new("RGB", (600, 600), "green").save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_step_can_be_undone_when_its_posts_are_back_in_the_list(
    tmp_path: Path, service: Faithless, *, is_restarted: bool
) -> None:
    """They come back under the service's IDs."""
    account = service.add_account()
    for n in range(8):
        service.add_post(account, START + n * HOUR, f"theirs {n}")
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, f"ours {n}", START + n * HOUR) for n in range(1, 4)])
        await settled(workspace)
        service.listed_none = True
        await until(lambda: not len(workspace.posts))
        service.listed_none = False
        if not is_restarted:
            await _undo_plan(workspace)
    if is_restarted:
        async with opened(tmp_path, service) as workspace:
            await _undo_plan(workspace)


async def _undo_plan(workspace: Opened) -> None:
    await until(lambda: len(workspace.posts) == 11)
    assert workspace.undo_label == "Schedule 3 posts"
    workspace.undo()
    await settled(workspace)
    cancelled = [post.headline for post in workspace.posts if post.status is PostStatus.CANCELLED]
    assert sorted(cancelled) == ["ours 1", "ours 2", "ours 3"]
