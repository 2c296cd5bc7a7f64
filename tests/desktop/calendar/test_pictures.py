"""Pictures on cards: they come after the cards, to those that show first, and move nothing."""

import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import date
from functools import partial

import pytest
from PIL import Image, ImageChops
from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus, PostType
from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import Span
from app.desktop.calendar.pictures import LARGE, SMALL, CardPictures, made
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ZONE, Hands
from tests.desktop.calendar.memory import MemoryPictures, MemoryWorkspace, account, instant, post
from tests.desktop.running import run, shown
from tests.workspace.opened import until

RED, GREEN = "#c81e1e", "#1ec81e"
JUNE = date(2031, 6, 12).toordinal()
Run = Callable[[Callable[[], Awaitable[None]]], None]


def jpeg(color: str = RED, size: tuple[int, int] = (480, 320)) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", size, color).save(content, "JPEG", quality=95)
    return content.getvalue()


RED_COAT = {"me/coat.jpg": jpeg()}


def coat(key: str = "coat", at: str = "2031-06-12T09:00", media: str = "me/coat.jpg") -> PlannedPost:
    return post(key, at, kind=PostType.IMAGE, media=media)


@pytest.fixture
def play(qapp: QApplication) -> Run:
    return lambda work: run(qapp, work)


@asynccontextmanager
async def calendar(
    *posts: PlannedPost, span: Span = Span.MONTH, size: tuple[int, int] = (1232, 872)
) -> AsyncIterator[Hands]:
    """A pane that is made and destroyed while the loop runs, as in the app."""
    workspace = MemoryWorkspace(posts, [account("studio")], clock=lambda: instant("2031-06-10T11:00"))
    pane = CalendarPane(workspace, ZONE)
    pane.resize(*size)
    async with shown(pane):
        pane.show_span(span, JUNE)
        yield Hands(pane, workspace)


async def at_rest(hands: Hands, asked: int) -> QImage:
    """What the days look like once so many pictures were asked for and have come.

    It is grabbed within the test's loop: to let Qt handle events here would be a loop within it.
    """
    shown, pictures = hands.view.viewport(), hands.pane.pictures
    await until(
        lambda: (
            not shown.grab().isNull() and len(hands.workspace.media.asked) >= asked and pictures.is_at_rest
        )
    )
    return shown.grab().toImage()


def is_like(seen: QColor, color: str) -> bool:
    """A JPEG's colours are nearly those that went in."""
    wanted = QColor(color)
    pairs = zip(seen.getRgb()[:3], wanted.getRgb()[:3], strict=True)  # type: ignore[index]
    return all(abs(one - other) < 12 for one, other in pairs)


def tile_of(hands: Hands, key: str, picture: QImage) -> QColor:
    """A pixel of the large picture of a card, beside the sign of a video."""
    card = hands.card(key)
    return picture.pixelColor(card.right() - 6 - 5, card.center().y() + 11)


def difference(before: QImage, after: QImage) -> QRect:
    """The rectangle around all pixels that changed."""
    box = ImageChops.difference(as_image(before), as_image(after)).getbbox()
    assert box is not None
    left, top, right, bottom = box
    return QRect(left, top, right - left, bottom - top)


def as_image(picture: QImage) -> Image.Image:
    plain = picture.convertToFormat(QImage.Format.Format_RGB888)
    size = (plain.width(), plain.height())
    return Image.frombuffer("RGB", size, bytes(plain.constBits()), "raw", "RGB", plain.bytesPerLine())


@pytest.mark.parametrize(
    ("span", "size"), [(Span.MONTH, (44, 38)), (Span.WEEK, (44, 38)), (Span.AGENDA, (34, 34))]
)
def test_a_picture_arrives_on_its_card_and_moves_nothing(
    play: Run, span: Span, size: tuple[int, int]
) -> None:
    async def work() -> None:
        async with calendar(span=span) as hands:
            hands.workspace.arrive(coat(), post("words", "2031-06-12T12:00"))
            before, card = await at_rest(hands, 1), hands.card("coat")
            hands.workspace.find(RED_COAT)
            changed = difference(before, await at_rest(hands, 2))
            assert card.contains(changed)
            assert changed.size().toTuple() == size
            assert hands.card("coat") == card

    play(work)


def test_a_line_of_a_full_day_has_a_small_picture(play: Run) -> None:
    async def work() -> None:
        async with calendar(
            *(post(str(n), f"2031-06-12T1{n}:00") for n in range(3)), size=(1_500, 872)
        ) as hands:
            hands.workspace.arrive(coat())
            before = await at_rest(hands, 1)
            hands.workspace.find(RED_COAT)
            changed = difference(before, await at_rest(hands, 2))
            assert changed.size().toTuple() == (24, 20)
            assert hands.card("coat").contains(changed)

    play(work)


def test_what_is_no_picture_keeps_the_sign_of_its_kind(play: Run) -> None:
    async def work() -> None:
        async with calendar() as hands:
            hands.workspace.arrive(coat())
            before = await at_rest(hands, 1)
            assert hands.workspace.media.asked == ["me/coat.jpg"]
            hands.workspace.find({"me/coat.jpg": b"no picture"})
            assert await at_rest(hands, 2) == before
            assert hands.workspace.media.asked == ["me/coat.jpg"] * 2

    play(work)


def test_a_picture_that_was_missing_is_asked_for_when_the_service_is_back(play: Run) -> None:
    async def work() -> None:
        async with calendar() as hands:
            hands.workspace.arrive(coat())
            await at_rest(hands, 1)
            hands.workspace.media.kept |= RED_COAT
            hands.workspace.lose_contact()
            hands.workspace.find_contact()
            assert is_like(tile_of(hands, "coat", await at_rest(hands, 2)), RED)

    play(work)


def test_a_move_asks_for_no_picture_again(play: Run) -> None:
    async def work() -> None:
        async with calendar() as hands:
            hands.workspace.arrive(coat())
            await at_rest(hands, 1)
            hands.workspace.move({"coat": hands.post("coat").at + 86_400_000})
            await at_rest(hands, 1)
            assert hands.workspace.media.asked == ["me/coat.jpg"]

    play(work)


def test_what_shows_is_fetched_first_and_what_is_far_not_at_all(play: Run) -> None:
    async def work() -> None:
        source, owner = MemoryPictures(), QObject()
        pictures = CardPictures(owner, source)
        far, near, here = ([coat(f"{where} {n}", media=f"{where}-{n}") for n in range(6)] for where in "fnh")
        for one in (*far, *near, *here):
            assert pictures.of(one, 1.0) is None
        pictures.around = lambda: (*here, *near)
        await until(lambda: pictures.is_at_rest)
        assert source.asked == [one.media for one in (*here, *near)]
        pictures.around = lambda: far
        pictures.look_again()
        await until(lambda: pictures.is_at_rest)
        assert source.asked[12:] == [one.media for one in far]
        owner.deleteLater()

    play(work)


def test_the_calendar_asks_for_the_days_that_show_then_for_those_around(take: MakeHands) -> None:
    here = [post(f"here {n}", f"2031-06-{n:02}T09:00") for n in range(9, 16)]
    near = [post(f"near {n}", f"2031-06-{n:02}T09:00") for n in (2, 20)]
    hands = take(*here, *near, post("far", "2031-12-10T09:00"), span=Span.WEEK)
    assert list(hands.pane.grid.posts_around()) == [*here, *near]


def test_a_picture_that_comes_while_another_page_shows_is_on_both(play: Run) -> None:
    async def work() -> None:
        async with calendar() as hands:
            hands.workspace.arrive(coat())
            await at_rest(hands, 1)
            hands.pane.show_span(Span.WEEK, JUNE)
            hands.workspace.find(RED_COAT)
            assert is_like(tile_of(hands, "coat", await at_rest(hands, 2)), RED)
            hands.pane.show_span(Span.MONTH, JUNE)
            picture = hands.view.viewport().grab().toImage()
            assert is_like(tile_of(hands, "coat", picture), RED)

    play(work)


def test_another_file_of_a_post_shows_instead(play: Run) -> None:
    async def work() -> None:
        async with calendar() as hands:
            hands.workspace.find({**RED_COAT, "me/green.jpg": jpeg(GREEN)})
            hands.workspace.arrive(coat())
            await at_rest(hands, 1)
            hands.workspace.arrive(coat(media="me/green.jpg"))
            assert is_like(tile_of(hands, "coat", await at_rest(hands, 2)), GREEN)

    play(work)


def test_a_published_post_shows_its_picture_faded(play: Run) -> None:
    async def work() -> None:
        async with calendar(span=Span.WEEK) as hands:
            hands.workspace.find(RED_COAT)
            hands.workspace.arrive(
                coat(at="2031-06-11T09:00")._replace(status=PostStatus.POSTED, published=True)
            )
            seen = tile_of(hands, "coat", await at_rest(hands, 1))
            assert seen.red() > seen.green() + 40
            assert seen.green() > QColor(RED).green() + 40

    play(work)


def test_no_more_are_kept_than_there_is_room_for(play: Run) -> None:
    async def work() -> None:
        source, owner = MemoryPictures(), QObject()
        posts = [coat(f"{n:04}", media=f"me/{n:04}.jpg") for n in range(450)]
        source.kept = {one.media: jpeg(size=(40, 40)) for one in posts}
        pictures = CardPictures(owner, source)
        for start in range(0, 450, 150):
            seen = posts[start : start + 150]
            pictures.around = partial(tuple, seen)
            for one in seen:
                pictures.of(one, 1.0)
            await until(lambda: pictures.is_at_rest)
        assert len(source.asked) == 450
        assert sum(pictures.of(one, 1.0) is not None for one in posts) == 360
        owner.deleteLater()

    play(work)


def test_a_file_that_cannot_be_looked_up_has_no_picture(play: Run) -> None:
    class Broken:
        async def picture(self, storage_path: str) -> bytes | None:
            raise Problem(f"{storage_path} cannot be read.")

    async def work() -> None:
        owner, one = QObject(), coat()
        pictures = CardPictures(owner, Broken())
        pictures.around = lambda: [one]
        assert pictures.of(one, 1.0) is None
        await until(lambda: pictures.is_at_rest)
        assert pictures.of(one, 1.0) is None
        owner.deleteLater()

    play(work)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("size", [(480, 270), (270, 480), (20, 20), (1, 480)])
def test_a_picture_is_cut_to_the_size_of_its_place(ratio: float, size: tuple[int, int]) -> None:
    pair = made(jpeg(size=size), ratio, is_video=False)
    assert pair is not None
    for picture, whole in ((pair.large, LARGE), (pair.small, SMALL)):
        assert picture.size() == whole * ratio
        assert is_like(picture.pixelColor(picture.width() // 2, picture.height() // 2), RED)


def test_a_video_is_told_from_an_image() -> None:
    video, image = (made(jpeg(), 1.0, is_video=is_video) for is_video in (True, False))
    assert video is not None
    assert image is not None
    assert video.large != image.large
    assert video.small == image.small
