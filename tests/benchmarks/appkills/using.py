"""A simulated user who uses everything that writes, and reports what was shown as accepted."""

import asyncio
import csv
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final

from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.contract.posts import PostListQuery
from app.desktop.application import Application
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.composer import ComposerPanel
from app.workspace.clock import from_millis, to_millis
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Problem
from app.workspace.posts.new import NewPost
from app.workspace.posts.planned import PlannedPost, headline
from app.workspace.workspace import Workspace
from tests.benchmarks.appkills.lives import tell
from tests.benchmarks.appkills.program import ZONE, opened
from tests.benchmarks.appkills.world import PLATFORMS, World
from tests.journeys.stage import Actor
from tests.workspace.programs import consent, follow

_FIRST: Final = to_millis(datetime(2035, 3, 1, tzinfo=UTC))
_MINUTE_MS: Final = 60_000
_MONTH_MINUTES: Final = 28 * 24 * 60
_DAYS: Final = LocalDays(ZONE)
_ROWS: Final = 40
_LONG: Final = 100
_PATIENCE_S: Final = 120.0
_CTRL: Final = Qt.KeyboardModifier.ControlModifier

State = dict[str, Any]
"""Everything ever written, by a descriptive name; None for deleted things."""
Way = Callable[[], Awaitable[None]]


@dataclass
class Person:
    """The user in one life. ``unfinished`` are tables whose import was interrupted earlier."""

    pipe: int
    name: str
    seed: float
    world: World
    unfinished: list[Path]

    async def use(self, application: Application) -> None:
        """Use the app until it's killed."""
        await self._begin(application)
        self._random = Random(self.seed)  # noqa: S311  not for security
        self._actor.controller.calendar.show_span(Span.MONTH, _DAYS.place(_FIRST).day + 10)
        for path in self.unfinished:
            await self._import(path)
        while True:
            await self._something()()
            await asyncio.sleep(self._random.expovariate(1 / 0.02))

    async def settle(self, application: Application) -> None:
        """Wait until the service has everything, report the app's state, and close the window."""
        await self._begin(application)
        for path in self.unfinished:
            await self._import(path)
        workspace = self._workspace
        async with asyncio.timeout(_PATIENCE_S):
            while workspace.sync.waiting or workspace.sync.saving or self._uploads_left():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            await workspace.refresh()
        tell(self.pipe, "shown", self._state())
        await self._list()
        application.window.close()

    async def _list(self) -> None:
        """Report the service's posts of this round."""
        counted: Counter[str] = Counter()
        there: State = {}
        async for page in self._workspace._core.client.posts(PostListQuery(limit=100)):
            for post in page.data:
                key = _post(headline(None, post.description), str(post.social_account_id))
                if self._round in key:
                    counted[key] += 1
                    there[key] = [to_millis(post.scheduled_at), post.status is PostStatus.CANCELLED]
        tell(self.pipe, "there", there)
        tell(self.pipe, "doubled", [key for key, times in counted.items() if times > 1])

    async def _begin(self, application: Application) -> None:
        self._actor = Actor(application, await opened(application))
        self._workspace: Workspace = self._actor.workspace
        await self._workspace.snippets.load()
        await self._workspace.load_composer()
        while len(self._workspace.accounts) < len(PLATFORMS):  # noqa: ASYNC110  only in the first life
            await asyncio.sleep(0.01)
        self._number = 0
        self._round = self.name.rpartition("-")[0] + "-"
        tell(self.pipe, "found", self._state())

    def _uploads_left(self) -> bool:
        return any(upload.is_underway for upload in self._workspace.media.uploads.all())

    def _something(self) -> Way:
        ways: Mapping[Way, float] = {
            self._compose: 3,
            self._plan: 3,
            self._plan_many: 0.7,
            self._move: 3,
            self._drag: 2,
            self._cancel: 1,
            self._undo: 2,
            self._redo: 1,
            self._import_table: 0.7,
            self._take_up_draft: 0.7,
            self._throw_away_draft: 0.4,
            self._save_text: 0.8,
            self._forget_text: 0.3,
            self._upload: 0.8,
            self._reconnect: 0.3,
            self._break_line: 1,
        }
        return self._random.choices(list(ways), list(ways.values()))[0]

    async def _do(self, action: Callable[[], object], intended: State) -> None:
        """Do something, and report it when it's shown as accepted."""
        before = self._state()
        tell(self.pipe, "begun", intended)  # report it first: a kill may follow right after the write
        action()
        await self._accepted(before)

    async def _accepted(self, before: State) -> None:
        shown = self._state()
        changed = {key: shown.get(key) for key in before | shown if before.get(key) != shown.get(key)}
        while self._workspace.sync.saving or not self._workspace.is_writing_kept:  # noqa: ASYNC110
            await asyncio.sleep(0.001)  # often enough to be precise, without slowing it down
        tell(self.pipe, "accepted", changed)

    async def _compose(self) -> None:
        """Type a text, then schedule it, save it as a draft, or leave it."""
        panel, before, at = await self._open_composer(), self._state(), self._time()
        panel.model.set_time(at)
        start = panel.text_box.text()
        words = f"{start} {self._new_name()}".strip()
        tell(self.pipe, "begun", {_writing(panel): ["prefix", words]})
        for letter in words[len(start) :]:
            QTest.keyClicks(panel.text_box.editor, letter)
            await asyncio.sleep(0.002)
        while self._state().get(_writing(panel), [""])[0] != words:  # noqa: ASYNC110  until it is written
            await asyncio.sleep(0.01)
        await self._accepted(before)
        before = self._state()
        for account in self._workspace.accounts:
            if self._random.random() < 0.6 and not panel.accounts.toggle(account).isChecked():
                panel.accounts.toggle(account).click()
        ending = self._random.choice(["schedule", "schedule", "keep", "close"])
        if len(words) > _LONG or not words.startswith(self._round):
            # Reusing the text repeatedly would make it too long to schedule, and cutting it within its first
            # letters would make it look like posts of other rounds.
            ending = "keep"
        if ending == "schedule" and panel.model.accounts.chosen:
            planned: State = {_post(words, account): [at, False] for account in panel.model.accounts.chosen}
            tell(self.pipe, "begun", {**planned, _writing(panel): None})
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Return, _CTRL)
            if not set(planned) <= set(self._state()):  # the panel must say why, and keep the text
                reasons = [*(one.text for one in panel.model.obstacles()), panel.frame.said()]
                tell(self.pipe, "refused", list(filter(None, reasons)))
        elif ending == "keep":
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_S, _CTRL)
        else:
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Escape)
        await self._accepted(before)

    async def _open_composer(self) -> ComposerPanel:
        panel = self._actor.controller.panels.compose()
        while panel.text_box.editor.isReadOnly():  # noqa: ASYNC110
            await asyncio.sleep(0.002)
        return panel

    async def _plan(self) -> None:
        await self._plan_texts([self._new_name(), self._new_name()])

    async def _plan_many(self) -> None:
        """Schedule more posts than fit into one request."""
        await self._plan_texts([self._new_name() for _ in range(35)])

    async def _plan_texts(self, texts: list[str]) -> None:
        account = self._random.choice(list(self._workspace.accounts.values()))
        platform, at = PostingPlatform(account.platform.value), self._time()
        posts = [NewPost(account.key, platform, PostType.TEXT, text, at=at) for text in texts]
        intended: State = {_post(text, account.key): [at, False] for text in texts}
        await self._do(lambda: self._workspace.plan(posts), intended)

    async def _move(self) -> None:
        """Move a post or a group."""
        if own := [post for post in self._own() if post.status is not PostStatus.CANCELLED]:
            chosen = self._random.sample(own, min(len(own), self._random.choice([1, 1, 8, 60])))
            times = {post.key: self._time() for post in chosen}
            intended: State = {_key(post): [times[post.key], False] for post in chosen}
            await self._do(lambda: self._workspace.move(times), intended)

    async def _drag(self) -> None:
        """Drag with the mouse, two days forward or back."""
        page = self._actor.controller.calendar.grid.view.page
        drawn = [card.post for day in range(*_month()) for card in page.cells.layout(day).cards]
        drawn = [post for post in drawn if post.headline.startswith(self._round)]
        if not drawn:
            return
        post = self._actor.post(self._random.choice(drawn).headline)
        if post.key not in {one.key for one in drawn} or post.status is PostStatus.CANCELLED:
            return
        day, minute = _DAYS.place(post.at)
        to = min(max(day + self._random.choice([-2, 2]), _month()[0]), _month()[1] - 1)
        intended: State = {_key(post): [_DAYS.instant(to, minute), False]}
        start, end = self._actor.card(post.headline), self._actor.day(to)
        await self._do(lambda: self._actor.drag(start, end), intended)

    async def _cancel(self) -> None:
        if own := self._own():
            chosen = self._random.sample(own, min(len(own), self._random.choice([1, 5])))
            intended: State = {_key(post): [0, True] for post in chosen}
            await self._do(lambda: self._workspace.cancel([post.key for post in chosen]), intended)

    async def _undo(self) -> None:
        step = self._workspace._core.history.last_done()
        sides = {edit.key: edit.before for edit in (step.edits if step else ())}
        await self._do(self._workspace.undo, self._as_state(sides))

    async def _redo(self) -> None:
        step = self._workspace._core.history.last_undone()
        sides = {edit.key: edit.after for edit in (step.edits if step else ())}
        await self._do(self._workspace.redo, self._as_state(sides))

    def _as_state(self, sides: Mapping[str, Any]) -> State:
        own = {post.key: _key(post) for post in self._own()}
        return {own[key]: [side.at, side.cancelled] for key, side in sides.items() if key in own}

    async def _import_table(self) -> None:
        path = self.world.folder / f"{self._new_name()}.csv"
        account = self._random.choice(list(self._workspace.accounts.values()))
        with path.open("w", newline="", encoding="utf-8") as opened_file:
            table = csv.writer(opened_file)
            table.writerow(["Text", "Account", "Date"])
            for number in range(_ROWS):
                moment = from_millis(self._time()).astimezone(ZONE)
                where, when = account.platform.value, f"{moment:%Y-%m-%d %H:%M}"
                table.writerow([f"{path.stem}-row{number}", where, when])
        tell(self.pipe, "importing", str(path))
        await self._import(path)

    async def _import(self, path: Path) -> None:
        """Import a table, possibly again. Every row becomes exactly one post."""
        before = self._state()
        csv_exchange = self._workspace.csv
        file = await csv_exchange.read(path, ZONE.key)
        rows = await csv_exchange.check(file, file.choices)
        posts = [post for row in rows for post in row.posts]
        intended: State = {_post(post.text, post.account_key): [post.at, False] for post in posts}
        tell(self.pipe, "begun", intended)
        run = csv_exchange.begin(file, rows)
        await run.run()
        run.close()
        there = {post.headline for post in self._own()}
        missing = {f"{path.stem}-row{number}" for number in range(_ROWS)} - there
        assert not missing, f"an import made no post of {sorted(missing)[:3]}: {rows[0].issues}"
        await self._accepted(before)
        tell(self.pipe, "imported", str(path))

    async def _take_up_draft(self) -> None:
        """Continue a draft. The current text becomes a draft."""
        workspace, before = self._workspace, self._state()
        if drafts := workspace.drafts.all():
            draft = self._random.choice(drafts)
            self._actor.controller.open_draft(draft.id)
            while workspace.drafts.get(draft.id):  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            await self._accepted(before)

    async def _throw_away_draft(self) -> None:
        if drafts := self._workspace.drafts.all():
            draft = self._random.choice(drafts)
            await self._do(lambda: self._workspace.drafts.remove([draft.id]), {f"writing {draft.id}": None})

    async def _save_text(self) -> None:
        name, before = self._new_name(), self._state()
        tell(self.pipe, "begun", {f"saved {name}": "#linen"})
        await self._workspace.snippets.keep(name, "#linen")
        await self._accepted(before)

    async def _forget_text(self) -> None:
        before = self._state()
        if names := list(self._workspace.snippets.all()):
            name = self._random.choice(names)
            tell(self.pipe, "begun", {f"saved {name}": None})
            await self._workspace.snippets.remove([name])
            await self._accepted(before)

    async def _upload(self) -> None:
        before, path = self._state(), self.world.folder / f"{self._new_name()}.png"
        await asyncio.to_thread(lambda: Image.effect_noise((300, 200), 90.0).convert("RGB").save(path))
        tell(self.pipe, "begun", {f"file {path.name}": 1})
        await self._workspace.media.add_files([path])
        await self._accepted(before)

    async def _reconnect(self) -> None:
        """Reconnect in the browser while everything else continues."""
        try:
            flow = await self._workspace.flows.begin(self._random.choice(PLATFORMS))
        except Problem:
            return  # disconnected
        asyncio.get_running_loop().run_in_executor(None, lambda: follow(consent(flow.url, "allow")))

    async def _break_line(self) -> None:
        if self.world.line is not None:
            self.world.line.write_text(self._random.choice(["whole", "whole", "cut", "deaf"]))

    def _new_name(self) -> str:
        self._number += 1
        return f"{self.name}-{self._number}"

    def _own(self) -> list[PlannedPost]:
        """Return the posts of this round. The others belong to an earlier app."""
        return [post for post in self._workspace.posts if post.headline.startswith(self._round)]

    def _time(self) -> int:
        return _FIRST + self._random.randrange(_MONTH_MINUTES) * _MINUTE_MS

    def _state(self) -> State:
        workspace = self._workspace
        state: State = {_key(post): [post.at, post.status is PostStatus.CANCELLED] for post in self._own()}
        written: list[ComposerDraft] = [draft.content for draft in workspace.drafts.all()]
        being_written = workspace._composer._draft
        if (
            being_written is not None
            and being_written.text
            and not workspace._composer._is_planned(being_written)
        ):
            written.append(being_written)
        for draft in written:
            name = f"writing {draft.draft_id}"
            state[name] = [draft.text, state[name][1] + 1 if name in state else 1]
        state |= {f"saved {name}": text for name, text in workspace.snippets.all().items()}
        state |= {f"file {upload.name}": 1 for upload in workspace.media.uploads.all()}
        return state | {
            "accounts": sorted(workspace.accounts),
            "undo": [workspace.undo_label, workspace.redo_label],
        }


def _key(post: PlannedPost) -> str:
    return _post(post.headline, post.account_key)


def _post(text: str, account_key: str) -> str:
    return f"post {text} {account_key}"


def _writing(panel: ComposerPanel) -> str:
    return f"writing {panel.model.draft_id}"


def _month() -> tuple[int, int]:
    first = _DAYS.place(_FIRST).day
    return first, first + 28
