"""Scheduling, moving, cancelling and restoring a post, and saving a draft. Refusals are shown."""

from collections import Counter

from app.contract.enums import ConnectionPlatform
from app.workspace.accounts.account import Account
from app.workspace.clock import wall_clock
from tests.hostile.closely import compose
from tests.hostile.visitor import Visitor

_HOUR = 3_600_000
_WORDS = "Planned in the window"


async def agree(visitor: Visitor, when: str) -> None:
    """Wait until the app shows the service's state."""
    wanted = (await visitor.elsewhere.state()).planned()

    def difference() -> str:
        known = _known(visitor)
        return f"{when}: {known - wanted} instead of {wanted - known}"

    await visitor.until(lambda: _known(visitor) == wanted, difference)


async def plan(visitor: Visitor) -> None:
    """Do everything that can be done to a post."""
    account = _account(visitor)
    if account is None:
        assert not visitor.variation.writes, "there is no account to plan with"
        return
    await keep_a_draft(visitor, account)
    workspace = visitor.workspace
    at = wall_clock() // 60_000 * 60_000 + 50 * _HOUR
    before = {post.key for post in workspace.posts.all()}
    await write(visitor, account, at)
    [key] = {post.key for post in workspace.posts.all()} - before
    await _sent(visitor, "a new post")
    workspace.move({key: at + _HOUR})
    await _sent(visitor, "a move")
    workspace.cancel([key])
    await _sent(visitor, "a cancellation")
    workspace.undo()
    await _sent(visitor, "what is taken back")


async def write(visitor: Visitor, account: Account, at: int) -> None:
    """Schedule a post from the composer."""
    panel = await compose(visitor, at)
    panel.accounts.toggle(account.key).setChecked(True)
    panel.text_box.editor.setPlainText(_WORDS)
    panel.submit()
    assert visitor.controller.window.side is not panel, f"the composer stays: {panel.problems.texts()}"


async def keep_a_draft(visitor: Visitor, account: Account) -> None:
    """Check that an unscheduled post is shown in the drafts."""
    drafts = visitor.controller.drafts
    panel = await compose(visitor)
    panel.accounts.toggle(account.key).setChecked(True)
    panel.text_box.editor.setPlainText(_WORDS)
    panel.save_as_draft()
    visitor.controller.window.go("drafts")
    await visitor.until(
        lambda: drafts.list.isVisible() and drafts.list.count() == 1, "the draft does not show"
    )
    visitor.judge(drafts, "drafts")
    drafts.list.setCurrentRow(0)
    drafts.delete_button.click()
    await visitor.until(drafts.empty.isVisible, "the draft stays")


async def _sent(visitor: Visitor, what: str) -> None:
    sync = visitor.workspace.sync
    if visitor.variation.writes:
        await visitor.until(lambda: visitor.workspace.sync.waiting == 0, f"{what} is not sent")
        await agree(visitor, f"after {what}")
        return
    await visitor.until(
        lambda: visitor.workspace.sync.waiting == 0 or visitor.is_told(), f"nothing is said of {what}"
    )
    if not visitor.is_told():
        await agree(visitor, f"mutely after {what}, {sync}")


def _account(visitor: Visitor) -> Account | None:
    accounts = visitor.workspace.accounts.values()
    usable = (one for one in accounts if one.platform is ConnectionPlatform.X and one.is_available)
    return next(usable, None)


def _known(visitor: Visitor) -> Counter[tuple[int, str]]:
    """Return times and statuses of all posts in the app."""
    return Counter((post.at, post.status.value) for post in visitor.workspace.posts.all())
