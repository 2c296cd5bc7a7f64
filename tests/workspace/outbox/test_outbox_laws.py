"""Whatever a person does, and whatever the network does: in the end the service has what was wanted, once."""

import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.contract.base import parse_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import to_millis
from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled

HOURS = st.integers(1, 40)
PICK = st.integers(0, 1_000)
FAULTS = st.sampled_from(["lose", "timeout", "500", "429", "garbage"])
WRITES = st.sampled_from(["POST", "PATCH", "DELETE"])
METHODS = WRITES | st.just("GET")


class OutboxMachine(RuleBasedStateMachine):
    """Plans, moves, cancels and takes back, online and off, over restarts, with answers that get lost."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.service = ModelService(HandClock())
        self.account = self.service.add_account()
        self.stack = AsyncExitStack()
        self.workspace: Opened
        self.wanted: dict[str, tuple[int, bool]] = {}  # key to time and cancelled
        self.texts: dict[str, str] = {}

    @initialize()
    def begin(self) -> None:
        self.run(self.open())

    async def open(self) -> None:
        self.workspace = await self.stack.enter_async_context(opened(Path(self.folder.name), self.service))

    def run(self, work: "asyncio._CoroutineLike[None]") -> None:
        self.loop.run_until_complete(work)

    def pick(self, index: int) -> str:
        keys = list(self.wanted)
        return keys[index % len(keys)]

    @rule(hours=HOURS)
    def plan(self, hours: int) -> None:
        text = f"post {len(self.texts)}"
        (key,) = self.workspace.plan([new_post(self.account, text, START + hours * HOUR)])
        self.texts[key] = text
        self.wanted[key] = (START + hours * HOUR, False)

    @precondition(lambda self: self.wanted)
    @rule(index=PICK, hours=HOURS)
    def move(self, index: int, hours: int) -> None:
        key = self.pick(index)
        self.workspace.move({key: START + hours * HOUR})
        if not self.wanted[key][1]:  # a cancelled post stays where it is
            self.wanted[key] = (START + hours * HOUR, False)

    @precondition(lambda self: self.wanted)
    @rule(index=PICK, hours=HOURS)
    def schedule_again(self, index: int, hours: int) -> None:
        key = self.pick(index)
        if self.wanted[key][1]:
            assert self.workspace.schedule_again({key: START + hours * HOUR}) == [key]
            self.wanted[key] = (START + hours * HOUR, False)

    @precondition(lambda self: self.wanted)
    @rule(index=PICK)
    def cancel(self, index: int) -> None:
        key = self.pick(index)
        self.workspace.cancel([key])
        self.wanted[key] = (self.wanted[key][0], True)

    @precondition(lambda self: self.wanted)
    @rule()
    def undo_and_redo(self) -> None:
        """Redo brings back exactly what undo took."""
        before = {post.key: (post.at, post.status) for post in self.workspace.posts}
        self.workspace.undo()
        self.workspace.redo()
        after = {post.key: (post.at, post.status) for post in self.workspace.posts}
        assert {key: status for key, (_, status) in after.items()} == {
            key: status for key, (_, status) in before.items()
        }

    @rule(method=METHODS, fault=FAULTS)
    def break_a_call(self, method: str, fault: str) -> None:
        self.service.faults.append((method, fault))

    @rule(online=st.booleans())
    def network(self, online: bool) -> None:
        self.service.online = online

    @precondition(lambda self: self.service.online)
    @rule(method=WRITES, fault=FAULTS, hours=HOURS)
    def change_while_an_answer_is_out(self, method: str, fault: str, hours: int) -> None:
        """A call for a fresh post fails; before it is made again, the post is moved or cancelled."""
        self.service.faults.append((method, fault))
        self.plan(hours)
        self.let_a_call_out()
        if method == "DELETE":
            self.cancel(len(self.wanted) - 1)
        else:
            self.move(len(self.wanted) - 1, hours + 1)

    @rule()
    def let_a_call_out(self) -> None:
        """Waits until a change was sent, or a little."""
        before = self.changes_sent()

        async def turn() -> None:
            for _ in range(20):
                await asyncio.sleep(0.001)
                if self.changes_sent() > before:
                    return

        self.run(turn())

    def changes_sent(self) -> int:
        return sum(request.method != "GET" for request in self.service.requests)

    @rule()
    def restart(self) -> None:
        async def again() -> None:
            await self.stack.aclose()
            await self.open()

        self.run(again())

    @invariant()
    def the_calendar_shows_what_is_wanted(self) -> None:
        if not hasattr(self, "workspace"):
            return
        for key, (at, cancelled) in self.wanted.items():
            post = self.workspace.posts.get(key)
            assert post is not None
            assert (post.status is PostStatus.CANCELLED) == cancelled
            assert cancelled or post.at == at

    def teardown(self) -> None:
        try:
            if hasattr(self, "workspace"):
                self.run(self.finish())
        finally:
            self.run(self.stack.aclose())
            self.run(self.loop.shutdown_default_executor())
            self.loop.close()
            self.folder.cleanup()

    async def finish(self) -> None:
        self.service.online = True
        self.service.faults.clear()
        await settled(self.workspace)
        await settled(self.workspace)
        assert [post for post in self.workspace.posts if post.sync is not SyncState.SYNCED] == []
        refused = "It's cancelled."
        assert [one.text for one in self.workspace.said if refused not in one.text] == []
        there = {post["description"]: post for post in self.service.posts.values()}
        assert len(there) == len(self.service.posts), "a post was made twice"
        assert len(self.workspace.posts) == len(self.wanted), "a post is shown twice"
        for key, (at, cancelled) in self.wanted.items():
            post = there.get(self.texts[key])
            if post is None:
                assert cancelled, "a post that was wanted was never made"
                continue
            assert (post["status"] == "cancelled") == cancelled
            assert cancelled or to_millis(parse_timestamp(post["scheduled_at"])) == at


# Time passes for real here, so a failure does not shrink; it is shown as it was found.
OutboxMachine.TestCase.settings = settings(
    max_examples=15, stateful_step_count=20, deadline=None, phases=[Phase.generate], database=None
)
TestOutbox = OutboxMachine.TestCase
