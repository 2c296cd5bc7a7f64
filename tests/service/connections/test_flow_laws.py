"""A flow of any kind, met by anything in any order: it ends once, and stays as it ended."""

from datetime import timedelta

import httpx
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.platforms.base import FailureKind, PlatformError, Profile, TokenGrant
from tests.service.connections.browsing import callback, initiate, listed, mark_unavailable, reauthorize, told
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller, RunningService

PEOPLE = [Profile(f"person-{number}", f"Person {number}") for number in range(4)]
SAID = {
    "waiting": (),
    "choosing": ("Choose accounts",),
    "connected": ("connected.",),
    "denied": ("allow access", "choose an account"),
    "failed": ("refused", "15 minutes", "any account", "instead of", "give access to"),
}


class Flow(RuleBasedStateMachine):
    """The model: the stage, what the platform would offer, and which accounts are connected."""

    def __init__(self, service: RunningService, adapter: ScriptedAdapter) -> None:
        super().__init__()
        self.caller: Caller = service.new_caller()
        self.service, self.adapter = service, adapter
        self.browser = httpx.Client(trust_env=False, follow_redirects=True, timeout=30)
        self.page = ""
        self.stage = "waiting"
        self.last_words = ""
        self.connected: set[str] = set()
        self.events = 0
        self.renewing = False
        service.clock.ahead = timedelta()

    def teardown(self) -> None:
        self.browser.close()
        self.service.forget_callers()

    @initialize(renewing=st.booleans())
    def begin(self, renewing: bool) -> None:
        self.renewing = renewing
        self.adapter.grant, self.adapter.people = TokenGrant("access", "refresh", None), [PEOPLE[0]]
        self.connect_url = initiate(self.caller)["connect_url"]
        if renewing:
            self.browser.get(callback(self.connect_url, code="c"))
            [account] = listed(self.caller)
            mark_unavailable(self.caller, account["id"])
            self.connected, self.events = {"person-0"}, 1
            self.connect_url = reauthorize(self.caller, account["id"])
        self.adapter.exchanges.clear()

    @rule(offered=st.sets(st.sampled_from(range(4))))
    def allow(self, offered: set[int]) -> None:
        self.adapter.grant, self.adapter.people = (
            TokenGrant("access", "refresh", None),
            [PEOPLE[number] for number in sorted(offered)],
        )
        answer = self.browser.get(callback(self.connect_url, code="c"))
        if self.stage == "waiting":
            self.stage = self._after(offered)
            if self.stage == "connected":
                self._connect({0} if self.renewing else offered)
            if self.stage == "choosing":
                self.page, self.offered = str(answer.url), sorted(offered)
        self._hear(answer)

    @rule()
    def deny(self) -> None:
        answer = self.browser.get(callback(self.connect_url, error="access_denied"))
        self.stage = "denied" if self.stage == "waiting" else self.stage
        self._hear(answer)

    @rule()
    def refuse(self) -> None:
        self.adapter.grant = PlatformError(FailureKind.INVALID, "invalid_grant", "no such code")
        answer = self.browser.get(callback(self.connect_url, code="c"))
        self.stage = "failed" if self.stage == "waiting" else self.stage
        self._hear(answer)

    @rule()
    def come_to_another_platform(self) -> None:
        address = callback(self.connect_url, code="c").replace("/callback/linkedin", "/callback/x")
        assert self.browser.get(address).status_code == 404

    @rule()
    def come_with_nothing(self) -> None:
        answer = self.browser.get(callback(self.connect_url))
        if self.stage == "waiting":
            assert "incomplete" in answer.text
        else:
            self._hear(answer)

    @precondition(lambda self: self.stage in ("waiting", "choosing"))
    @rule()
    def let_it_expire(self) -> None:
        self.service.clock.ahead = timedelta(minutes=15, seconds=1)
        answer = self.browser.get(self.page or callback(self.connect_url, code="c"))
        self.stage = "failed"
        self._hear(answer)

    @precondition(lambda self: self.page)
    @rule(picked=st.sets(st.sampled_from(range(5))))
    def choose(self, picked: set[int]) -> None:
        answer = self.browser.post(self.page, data={"account": [str(place) for place in picked]})
        chosen = {self.offered[place] for place in picked if place < len(self.offered)}
        if self.stage == "choosing" and chosen:
            self.stage = "connected"
            self._connect(chosen)
        self._hear(answer)

    @precondition(lambda self: self.page)
    @rule()
    def call_off(self) -> None:
        answer = self.browser.post(self.page, data={"account": "0", "decision": "cancel"})
        self.stage = "denied" if self.stage == "choosing" else self.stage
        self._hear(answer)

    @invariant()
    def what_is_there_is_what_was_allowed(self) -> None:
        there = {one["account_identifier"] for one in listed(self.caller, include_unavailable="true")}
        assert there == self.connected
        assert told(self.caller) == ["connection.connected"] * self.events
        assert len(self.adapter.exchanges) <= 1

    def _after(self, offered: set[int]) -> str:
        if self.renewing:
            return "connected" if 0 in offered else "failed"
        return {0: "failed", 1: "connected"}.get(len(offered), "choosing")

    def _connect(self, numbers: set[int]) -> None:
        self.connected |= {f"person-{number}" for number in numbers}
        self.events += len(numbers)

    def _hear(self, answer: httpx.Response) -> None:
        """Hears the stage, and after the end always the same words."""
        assert any(words in answer.text for words in SAID[self.stage]), (self.stage, answer.text[-600:])
        if self.stage not in ("waiting", "choosing"):
            words = answer.text.partition("<h1>")[2]
            assert self.last_words in ("", words)
            self.last_words = words


def test_every_flow_ends_once(service: RunningService, linkedin: ScriptedAdapter) -> None:
    run_state_machine_as_test(
        lambda: Flow(service, linkedin),  # type: ignore[arg-type]  # whatever makes one will do
        settings=settings(max_examples=40, stateful_step_count=10, deadline=None),
    )
