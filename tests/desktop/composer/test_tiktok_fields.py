"""Who can see it on TikTok: nothing is chosen beforehand, and nothing is planned that TikTok would refuse."""

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from app.desktop.composer.causes import CauseList
from app.desktop.tiktok import TikTokField
from app.desktop.widgets import Label
from tests.desktop.composer.composing import Compose, ready, stored, tomorrow
from tests.desktop.pressing import choose
from tests.desktop.running import LISBON, run, shown, workspace
from tests.media.samples import photo
from tests.service.media.samples import image
from tests.service.publishing.endtoend.files import Sample
from tests.workspace.model_service import ModelService
from tests.workspace.model_tiktok import CREATOR, ModelTikTok
from tests.workspace.opened import Opened, until


@pytest.fixture
def tiktok(service: ModelService) -> ModelTikTok:
    return ModelTikTok(service)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.mp4"
    path.write_bytes(Sample("video/mp4", 640, 360).content)
    return path


def shown_labels(problems: CauseList) -> list[Label]:
    """The labels of sentences, in the order of the sentences."""
    labels = {label.text(): label for label in problems.findChildren(Label)}
    return [labels[text] for text in problems.texts()]


def audiences(field: TikTokField) -> list[str]:
    return [field.privacy.itemText(index) for index in range(field.privacy.count())]


async def begin(panel: ComposerPanel, file: Path, *accounts: str) -> TikTokField:
    """Attach a file and choose accounts; gives the field of the first when TikTok has answered."""
    panel.attachment.take([file])
    await until(lambda: stored(panel))
    for account in accounts:
        panel.accounts.toggle(account).setChecked(True)
    panel.text_box.editor.setPlainText("Wool")
    field = panel.tiktok.field(accounts[0])
    await until(lambda: field.creator is not None)
    return field


def sent(service: ModelService) -> list[dict[str, Any]]:
    found = [json.loads(one.content) for one in service.requests if one.method == "PATCH"]
    return [told["tiktok"] for told in found if "tiktok" in told]


def test_nothing_is_chosen_beforehand(
    compose: Compose, service: ModelService, tiktok: ModelTikTok, film: Path
) -> None:
    account = service.add_account("tiktok")
    tiktok.choices[account] = {"privacy": "PUBLIC_TO_EVERYONE"}  # for other programs' posts

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(panel, film, account)
        assert audiences(field) == ["Everyone", "Friends", "Only me"]
        assert field.privacy.currentIndex() == -1
        boxes = field.comments, field.duet, field.stitch, field.commercial, field.ai
        assert not any(box.isChecked() for box in boxes)
        assert not field.duet.isEnabled()
        assert field.duet.accessibleDescription() == "Switched off in this account's TikTok settings."
        assert field.field.editor.accessibleName() == "Who can see it on TikTok"
        assert "Posting as Okafor Studio @okafor." in field.privacy.accessibleDescription()
        assert panel.problems.texts() == ()
        panel.submit()
        assert panel.problems.texts() == ("Choose who can see it on TikTok.",)
        assert field.privacy.hasFocus()
        assert service.effects == []

    compose(story, tomorrow())


@pytest.mark.usefixtures("tiktok")
def test_problems_are_in_the_order_of_the_fields_and_the_first_gets_the_focus(
    compose: Compose, service: ModelService, tmp_path: Path
) -> None:
    account = service.add_account("tiktok")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        await begin(panel, photo(tmp_path, "coat.gif"), account)
        panel.text_box.editor.setPlainText("#wool " * 400 + "a" * 2_000)
        panel.submit()
        too_long, about_file, audience = panel.problems.texts()
        assert "too long" in too_long
        assert about_file.startswith("TikTok accepts")
        assert audience == "Choose who can see it on TikTok."
        labels = shown_labels(panel.problems)
        await until(lambda: all(label.isVisible() for label in labels))
        tops = [label.mapTo(panel, QPoint()).y() for label in labels]
        assert tops == sorted(tops)
        assert panel.text_box.editor.hasFocus()
        panel.text_box.editor.setPlainText("Wool")
        panel.submit()
        assert panel.problems.texts() == (about_file, audience)
        assert panel.repair.isAncestorOf(panel.focusWidget()) or panel.file.isAncestorOf(panel.focusWidget())

    compose(story, tomorrow())


def test_what_is_chosen_travels_with_the_file(
    compose: Compose, service: ModelService, tiktok: ModelTikTok, film: Path
) -> None:
    account = service.add_account("tiktok")
    assert tiktok.choices == {}

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(panel, film, account)
        QTest.keyClicks(field.privacy, "Fri")
        for box in (field.comments, field.ai):
            QTest.keyClick(box, Qt.Key.Key_Space)
        field.duet.click()
        panel.submit()
        await until(lambda: service.effects == ["Wool"])

    compose(story, tomorrow())
    [choice] = sent(service)
    assert choice == {
        account: {
            "privacy": "MUTUAL_FOLLOW_FRIENDS",
            "allow_comments": True,
            "allow_duet": False,
            "allow_stitch": False,
            "your_brand": False,
            "branded_content": False,
            "ai_generated": True,
        }
    }


def test_commercial_content_says_what_it_promotes(
    compose: Compose, service: ModelService, tiktok: ModelTikTok, film: Path
) -> None:
    account = service.add_account("tiktok")
    assert tiktok.choices == {}

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(panel, film, account)
        assert not field.your_brand.isVisible()
        assert field.declaration.text().startswith("By posting, you agree to TikTok's Music Usage")
        choose(field.privacy, "Everyone")
        field.commercial.click()
        undisclosed = "Say whether the post on TikTok promotes yourself, a third party, or both."
        assert panel.problems.texts() == (undisclosed,)
        panel.submit()
        assert field.your_brand.hasFocus()
        field.your_brand.click()
        assert panel.problems.texts() == ()
        assert field.label.text() == "Your video will be labeled as “Promotional content”."
        field.branded.click()
        assert field.label.text() == "Your video will be labeled as “Paid partnership”."
        assert "Branded Content Policy" in field.declaration.text()
        model = field.privacy.model()
        assert isinstance(model, QStandardItemModel)
        assert [model.item(row).isEnabled() for row in range(3)] == [True, True, False]
        field.branded.click()
        choose(field.privacy, "Only me")
        assert not field.branded.isEnabled()
        panel.submit()
        await until(lambda: service.effects == ["Wool"])

    compose(story, tomorrow())
    [choice] = sent(service)
    assert (
        choice[account]["privacy"],
        choice[account]["your_brand"],
        choice[account]["branded_content"],
    ) == (
        "SELF_ONLY",
        True,
        False,
    )


def test_a_photo_has_neither_duets_nor_the_label(
    compose: Compose, service: ModelService, tiktok: ModelTikTok, tmp_path: Path
) -> None:
    account = service.add_account("tiktok")
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(image("JPEG", 640, 640))
    assert tiktok.choices == {}

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(panel, photo, account)
        shown = [box.isVisible() for box in (field.comments, field.duet, field.stitch, field.ai)]
        assert shown == [True, False, False, False]
        field.commercial.click()
        field.your_brand.click()
        assert field.label.text() == "Your photo will be labeled as “Promotional content”."

    compose(story, tomorrow())


def test_two_accounts_choose_for_themselves_and_it_comes_back(
    qapp: QApplication, tmp_path: Path, service: ModelService, tiktok: ModelTikTok, film: Path
) -> None:
    one, other = service.add_account("tiktok"), service.add_account("tiktok")
    tiktok.creators[other] = CREATOR | {"privacy_levels": ["FOLLOWER_OF_CREATOR", "SELF_ONLY"]}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                first = await begin(panel, film, one, other)
                second = panel.tiktok.field(other)
                await until(lambda: second.creator is not None)
                assert first.privacy.accessibleName() == "Who can see it on TikTok as Account 1"
                assert audiences(second) == ["Followers", "Only me"]
                choose(first.privacy, "Everyone")
                choose(second.privacy, "Followers")
                second.comments.click()
            service.online = False
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                first, second = panel.tiktok.field(one), panel.tiktok.field(other)
                await until(first.again.isVisible)
                await until(second.again.isVisible)
                assert (first.privacy.currentText(), second.privacy.currentText()) == (
                    "Everyone",
                    "Followers",
                )
                assert second.comments.isChecked()
                last = "Last known options. TikTok can't be reached right now."
                assert last in first.privacy.accessibleDescription()
                service.online = True
                first.ask()
                await until(lambda: not first.again.isVisible())
                assert first.privacy.currentText() == "Everyone"

    run(qapp, work)


def test_what_tiktok_no_longer_offers_has_to_be_chosen_again(
    compose: Compose, service: ModelService, tiktok: ModelTikTok, film: Path
) -> None:
    account = service.add_account("tiktok")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(panel, film, account)
        choose(field.privacy, "Everyone")
        tiktok.creators[account] = CREATOR | {"privacy_levels": ["SELF_ONLY"]}
        field.ask()
        await until(lambda: audiences(field) == ["Only me"])
        assert field.privacy.currentIndex() == -1
        panel.submit()
        [problem] = panel.problems.texts()
        assert problem.startswith("TikTok no longer offers that audience for this account.")
        choose(field.privacy, "Only me")
        assert panel.problems.texts() == ()

    compose(story, tomorrow())


def test_a_silent_tiktok_says_so_and_can_be_asked_again(
    compose: Compose, service: ModelService, tiktok: ModelTikTok, film: Path
) -> None:
    account = service.add_account("tiktok")
    tiktok.is_silent = True

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.attachment.take([film])
        await until(lambda: stored(panel))
        panel.accounts.toggle(account).setChecked(True)
        field = panel.tiktok.field(account)
        await until(field.again.isVisible)
        assert field.field.error()
        assert not field.privacy.isEnabled()
        panel.text_box.editor.setPlainText("Wool")
        panel.submit()
        assert field.again.hasFocus()
        tiktok.is_silent = False
        QTest.keyClick(field.again, Qt.Key.Key_Space)
        await until(lambda: field.creator is not None)
        assert field.field.error() == ""

    compose(story, tomorrow())


def test_a_service_that_keeps_no_choices_is_asked_for_none(
    compose: Compose, service: ModelService, film: Path
) -> None:
    account = service.add_account("tiktok")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.attachment.take([film])
        await until(lambda: stored(panel))
        panel.accounts.toggle(account).setChecked(True)
        panel.text_box.editor.setPlainText("Wool")
        assert not panel.tiktok.isVisible()
        panel.submit()
        await until(lambda: service.effects == ["Wool"])

    compose(story, tomorrow())
    assert sent(service) == []


def test_nothing_is_asked_for_a_post_that_goes_to_the_inbox(
    compose: Compose, service: ModelService, tiktok: ModelTikTok, film: Path
) -> None:
    account = service.add_account("tiktok")
    tiktok.inboxes = {account}

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.attachment.take([film])
        await until(lambda: stored(panel))
        panel.accounts.toggle(account).setChecked(True)
        panel.text_box.editor.setPlainText("Wool")
        await until(panel.tiktok.note.isVisible)
        assert panel.tiktok.note.text().startswith("The post goes to your TikTok inbox.")
        with pytest.raises(KeyError):
            panel.tiktok.field(account)
        panel.submit()
        await until(lambda: service.effects == ["Wool"])

    compose(story, tomorrow())
    assert sent(service) == []


def test_a_sixth_post_for_the_inbox_is_refused_where_its_time_is_chosen(
    compose: Compose, service: ModelService, tiktok: ModelTikTok, film: Path
) -> None:
    account, at = service.add_account("tiktok"), tomorrow()
    tiktok.inboxes = {account}
    for number in range(5):
        service.add_post(account, at + number * 3_600_000, f"Part {number}")
    for post in service.posts.values():
        post["platform"] = "tiktok"

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await until(lambda: len(opened.posts) == 5)
        panel.attachment.take([film])
        await until(lambda: stored(panel))
        panel.accounts.toggle(account).setChecked(True)
        panel.text_box.editor.setPlainText("Wool")
        await until(lambda: panel.when.note().startswith("5 other posts for your TikTok inbox"))
        assert panel.when.date.accessibleDescription() == panel.when.note()
        panel.submit()
        assert service.effects == []
        panel.when.set_at(at + 2 * 86_400_000)
        panel.when.changed.emit()
        assert panel.when.note() == ""
        panel.when.set_at(at + 3_600_000)
        panel.when.changed.emit()
        assert panel.when.note()
        opened.cancel([opened.posts.all()[0].key])
        await until(lambda: not panel.when.note())
        panel.submit()
        await until(lambda: service.effects[-1:] == ["Wool"])

    compose(story, at)
