"""What TikTok lets accounts choose, and choices on their way to the service."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.contract.tiktok import TikTokChoice, TikTokPrivacy
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Problem
from app.workspace.posts.new import NewPost
from app.workspace.tiktok import TikTokDraft
from app.workspace.warnings.warning import WarningKind
from tests.workspace.behind_proxy import BehindProxy
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.model_tiktok import CREATOR, ModelTikTok
from tests.workspace.opened import opened, settled, until

EVERYONE = TikTokChoice(privacy=TikTokPrivacy.EVERYONE, allow_comments=True, branded_content=True)
ONLY_ME = TikTokChoice(privacy=TikTokPrivacy.ONLY_ME)
FILM = "me/1-film.mp4"


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock(), files={FILM: b"film"})


@pytest.fixture
def tiktok(service: ModelService) -> ModelTikTok:
    return ModelTikTok(service)


def film(account: str, choice: TikTokChoice | None, text: str = "Wool") -> NewPost:
    return NewPost(
        account,
        PostingPlatform.TIKTOK,
        PostType.VIDEO,
        text,
        at=START + HOUR,
        media_storage_path=FILM,
        tiktok=choice,
    )


def sent(service: ModelService) -> list[tuple[str, str]]:
    """Choices and posts in the order in which they were sent: who can see the next, and its text."""
    found: list[tuple[str, str]] = []
    for request in service.requests:
        if request.method == "PATCH":
            [choice] = json.loads(request.content)["tiktok"].values()
            found.append(("choice", choice["privacy"]))
        elif request.method == "POST" and request.url.path.startswith("/api/v1/posts"):
            told = json.loads(request.content)
            found += [("post", one["description"]) for one in told.get("posts", [told])]
    return found


async def test_what_an_account_may_choose_is_known_from_then_on(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok
) -> None:
    account = service.add_account("tiktok")

    async with opened(tmp_path, service) as workspace:
        assert await workspace.tiktok.known_creator(account) is None
        creator = await workspace.tiktok.ask_creator(account)
        assert creator.model_dump(mode="json") == CREATOR
    async with opened(tmp_path, service) as workspace:
        tiktok.is_silent = True
        with pytest.raises(Problem):
            await workspace.tiktok.ask_creator(account)
        assert await workspace.tiktok.known_creator(account) == creator


async def test_a_choice_is_there_before_its_post(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok
) -> None:
    account = service.add_account("tiktok")

    async with opened(tmp_path, service) as workspace:
        (key,) = workspace.plan([film(account, EVERYONE)])
        await settled(workspace)
        await until(lambda: workspace.tiktok.offered)
        tiktok.posts = {one: ONLY_ME.model_dump(mode="json") for one in map(str, service.posts)}
        assert (
            await workspace.stored_detail(key)
        ).tiktok == EVERYONE  # from disk, however slow the service is
        assert (await workspace.detail(key)).tiktok == ONLY_ME
        service.online = False
        assert (await workspace.detail(key)).tiktok == EVERYONE
    assert service.described[FILM]["tiktok"] == {account: EVERYONE.model_dump(mode="json")}
    assert sent(service) == [("choice", "PUBLIC_TO_EVERYONE"), ("post", "Wool")]


async def test_posts_with_one_file_each_keep_their_own_choice(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok
) -> None:
    account = service.add_account("tiktok")
    choices = [EVERYONE if number % 2 else ONLY_ME for number in range(12)]
    assert tiktok.choices == {}

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            service.online = False
            plain = [film(account, None, f"plain {number}") for number in range(3)]
            workspace.plan([film(account, one, f"{number}") for number, one in enumerate(choices)] + plain)
            service.online = True
            await settled(workspace)

    await story()
    seen = sent(service)
    assert len(service.posts) == 15
    for number, choice in enumerate(choices):
        place = seen.index(("post", str(number)))
        assert seen[place - 1] == ("choice", choice.privacy.value)


@pytest.mark.parametrize("fault", ["timeout", "500", "lose"])
async def test_a_choice_that_is_not_answered_is_sent_again_before_its_post(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok, fault: str
) -> None:
    account = service.add_account("tiktok")
    service.faults += [("PATCH", fault), ("POST", fault)]
    assert tiktok.choices == {}

    async with opened(tmp_path, service) as workspace:
        workspace.plan([film(account, EVERYONE)])
        await settled(workspace)
    assert [kind for kind, _ in sent(service)] == ["choice", "choice", "post", "choice", "post"]
    assert len(service.posts) == 1


async def test_a_choice_that_the_service_refuses_refuses_the_post(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok
) -> None:
    account = service.add_account("tiktok")
    service.faults.append(("PATCH", "refuse"))
    assert tiktok.choices == {}

    async with opened(tmp_path, service) as workspace:
        (key,) = workspace.plan([film(account, EVERYONE)])
        await until(lambda: (post := workspace.posts.get(key)) and "not today" in post.reason)
    assert service.posts == {}


async def test_a_service_that_keeps_no_choices_gets_no_post_for_everyone(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("tiktok")
    service.files.clear()

    async with opened(tmp_path, service) as workspace:
        assert not workspace.tiktok.offered
        workspace.plan([film(account, ONLY_ME)])
        await until(lambda: [post.status for post in workspace.posts] == [PostStatus.FAILED])
        await until(lambda: [one.text for one in workspace.said])
    assert service.posts == {}


async def test_a_choice_that_only_a_proxy_refused_is_sent_again_before_its_post(
    tmp_path: Path,
) -> None:
    service = BehindProxy(HandClock(), files={FILM: b"film"}, pages=[("PATCH", "/media/")])
    ModelTikTok(service)
    account = service.add_account("tiktok")
    async with opened(tmp_path, service) as workspace:
        workspace.plan([film(account, ONLY_ME)])
        await settled(workspace)
    assert [kind for kind, _ in sent(service)] == ["choice", "choice", "post"]


async def test_a_choice_for_an_account_is_kept_and_taken_away(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok
) -> None:
    account = service.add_account("tiktok")

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.tiktok.offered)
        assert (await workspace.tiktok.account(account)).choice is None
        assert await workspace.tiktok.is_undecided(account)
        await workspace.tiktok.choose_for_account(account, EVERYONE)
        assert (await workspace.tiktok.account(account)).choice == EVERYONE
        assert not await workspace.tiktok.is_undecided(account)
        await workspace.tiktok.choose_for_account(account, None)
        service.online = False
        assert await workspace.tiktok.is_undecided(account)
    assert tiktok.choices == {}


async def test_posts_of_an_account_go_to_its_inbox(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok
) -> None:
    account = service.add_account("tiktok")

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.tiktok.has_inbox)
        await workspace.tiktok.send_to_inbox(account, True)
        assert tiktok.inboxes == {account}
        assert not await workspace.tiktok.is_undecided(account)  # TikTok asks there
        await workspace.tiktok.choose_for_account(account, EVERYONE)
        assert (await workspace.tiktok.account(account)).inbox
        service.online = False
        known = await workspace.tiktok.known_account(account)
        assert known is not None
        assert known.inbox


async def test_posts_that_nobody_chose_for_are_warned_of(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok
) -> None:
    account = service.add_account("tiktok")
    for text in ("one", "two"):
        service.add_post(account, START + 5 * HOUR, text)
    for post in service.posts.values():
        post |= {"platform": "tiktok", "post_type": "video", "media_storage_path": FILM}
    first, _ = service.posts
    tiktok.undecided = [str(first)]

    async with opened(tmp_path, service) as workspace:

        def undecided() -> list[str]:
            kind = WarningKind.NO_AUDIENCE
            return [one.key for one in workspace.warnings.listed if one.kind is kind]

        await until(undecided)
        [key] = undecided()
        (warned,) = [one for one in workspace.posts.all() if one.key == key]
        assert warned.headline == service.posts[first]["description"]
        assert key in workspace.warnings.failing()
        tiktok.undecided = []
        await workspace.tiktok.choose_for_account(account, EVERYONE)
        await until(lambda: not undecided())


async def test_a_sixth_post_for_an_inbox_is_warned_of_once_the_account_uses_it(
    tmp_path: Path, service: ModelService, tiktok: ModelTikTok
) -> None:
    """Planned while the account published directly, or without the service, which would refuse it."""
    account = service.add_account("tiktok")
    keys = [service.add_post(account, START + (5 + hour) * HOUR, f"Part {hour}") for hour in range(6)]
    for post in service.posts.values():
        post |= {"platform": "tiktok", "post_type": "video", "media_storage_path": FILM}

    async with opened(tmp_path, service) as workspace:

        def full() -> list[str]:
            kind = WarningKind.DAY_FULL
            return [one.key for one in workspace.warnings.listed if one.kind is kind]

        await until(lambda: len(workspace.posts) == 6 and workspace.tiktok.has_inbox)
        assert workspace.inboxes == frozenset()
        await workspace.tiktok.send_to_inbox(account, True)
        await until(full)
        assert full() == keys[5:]
        assert workspace.inboxes == {account}
        assert workspace.is_inbox_full(account, START + 9 * HOUR)
        workspace.cancel(keys[:1])
        await until(lambda: not full())
        workspace.undo()
        await until(full)
        await workspace.tiktok.send_to_inbox(account, False)
        await until(lambda: not full())
    assert tiktok.inboxes == set()


async def test_a_draft_keeps_what_is_chosen_so_far(tmp_path: Path, service: ModelService) -> None:
    half = TikTokDraft(comments=True, commercial=True)
    assert half.choice is None
    assert half.is_undisclosed

    draft = ComposerDraft(text="Wool", tiktok={"one": half, "two": TikTokDraft.of(EVERYONE)})
    async with opened(tmp_path, service) as workspace:
        workspace.save_composer(draft)
        kept = workspace.drafts.keep(replace(draft, draft_id="d"))
    async with opened(tmp_path, service) as workspace:
        assert await workspace.load_composer() == draft
        found = workspace.drafts.get(kept.id)
        assert found
        assert found.content.tiktok["two"].choice == EVERYONE


@pytest.mark.parametrize("choice", [EVERYONE, ONLY_ME, EVERYONE.model_copy(update={"your_brand": True})])
def test_fields_stand_for_a_choice(choice: TikTokChoice) -> None:
    draft = TikTokDraft.of(choice)
    assert draft.choice == choice
    silent = replace(draft, commercial=False).choice
    assert silent is not None
    assert not silent.branded_content
    assert not silent.your_brand


def test_nothing_is_chosen_beforehand() -> None:
    assert TikTokDraft.of(None) == TikTokDraft()
    assert TikTokDraft().choice is None
