"""Each thing is news once, over restarts and sleep; what nobody lived through is no news, except failures."""

from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from app.contract.enums import PostStatus
from app.workspace.notices.ledger import OLD_MS, Ledger
from app.workspace.notices.notice import Absence, Delay, News, NoticeKind

MINUTE, HOUR = 60_000, 3_600_000
START = 1_763_715_600_000
POSTS = [f"post-{number}" for number in range(6)]
WAIT = st.integers(0, 3 * HOUR)


class LedgerMachine(RuleBasedStateMachine):
    """A service publishes; the app is open, closed or asleep, learns of it soon or late, and may crash."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.plan = dict.fromkeys(POSTS, START + HOUR)
        self.status = dict.fromkeys(POSTS, PostStatus.SCHEDULED)
        self.out: dict[str, int] = {}
        self.known: set[str] = set()  # posted, and in the app's file
        self.round = Counter[str]()  # how often each was planned
        self.failed_in: dict[str, int] = {}
        self.told: Counter[tuple[NoticeKind, str, int]] = Counter()
        self.lived_from = self.now
        self.last = self.now
        self.ledger: Ledger | None = Ledger(self.now)
        self.ledger.begin(None, [], [])
        self.kept = self.ledger.told

    @rule(wait=st.integers(0, 20 * MINUTE))
    def time_passes(self, wait: int) -> None:
        for _ in range(wait // 30_000):
            self.now += 30_000
            self._tick()

    @precondition(lambda self: self.ledger is not None)
    @rule(wait=st.integers(2 * MINUTE, 3 * HOUR))
    def sleep(self, wait: int) -> None:
        self.now += wait
        self._tick()
        self.lived_from = self.now

    @rule(key=st.sampled_from(POSTS), failed=st.booleans())
    def the_service_tries(self, key: str, failed: bool) -> None:
        if self.status[key] is PostStatus.SCHEDULED:
            self.plan[key] = self.now
            self.status[key] = PostStatus.FAILED if failed else PostStatus.POSTED
            if failed:
                self.failed_in[key] = self.now
            else:
                self.out[key] = self.now

    @rule(key=st.sampled_from(POSTS))
    def somebody_plans_it_again(self, key: str) -> None:
        if self.status[key] is PostStatus.FAILED and self.ledger is not None:
            self.learn()
            self.status[key] = PostStatus.SCHEDULED
            self.round[key] += 1
            self.learn()

    @precondition(lambda self: self.ledger is not None)
    @rule()
    def learn(self) -> None:
        assert self.ledger is not None
        self._tick()
        for key in POSTS:
            at, status = self.plan[key], self.status[key]
            self._tell(self.ledger.stands(key, status, at))
            if self.ledger.may_be_out(key, status, at):
                self._tell(self.ledger.went_out(key, self.out[key], self.plan[key]))
                self.known.add(key)
        self.kept = self.ledger.told

    @rule()
    def restart(self) -> None:
        self.now += 1
        self.ledger = Ledger(self.now, self.known)
        self.ledger.begin(self.kept, [key for key in POSTS if self.status[key] is PostStatus.FAILED], [])
        self.lived_from = self.last = self.now

    def _tick(self) -> None:
        if self.ledger is not None:
            self.ledger.pass_time(self.now)

    def _tell(self, news: News | None) -> None:
        if news is None:
            return
        self.told[news.kind, news.key, self.round[news.key]] += 1
        if news.kind is NoticeKind.PUBLISHED:
            assert self.out[news.key] >= self.lived_from - 30_000
        else:
            assert news.missed == (self.plan[news.key] < self.ledger_since())

    def ledger_since(self) -> int:
        assert self.ledger is not None
        return self.ledger.since

    @invariant()
    def nothing_is_told_twice(self) -> None:
        assert all(times == 1 for times in self.told.values())

    def teardown(self) -> None:
        """Every failure is told in the end, whatever lay between."""
        self.learn()
        for key in POSTS:
            if self.status[key] is PostStatus.FAILED:
                assert self.told[NoticeKind.FAILED, key, self.round[key]] == 1


TestLedger = LedgerMachine.TestCase


def test_what_is_so_at_first_is_no_news() -> None:
    ledger = Ledger(START)
    ledger.begin(None, ["post-1"], ["account-1"])
    assert ledger.stands("post-1", PostStatus.FAILED, START - HOUR) is None
    assert ledger.ended(["account-1"]) == []
    assert ledger.ended(["account-1", "account-2"]) == [News(NoticeKind.RECONNECT, "account-2")]


def test_an_account_that_ends_again_is_news_again() -> None:
    ledger = Ledger(START)
    ledger.begin(None, [], [])
    assert len(ledger.ended(["one"])) == 1
    assert ledger.ended(["one"]) == []
    assert ledger.ended([]) == []
    assert len(ledger.ended(["one"])) == 1


def test_a_failure_of_long_ago_is_no_news() -> None:
    ledger = Ledger(START)
    ledger.begin(None, [], [])
    assert ledger.stands("post-1", PostStatus.FAILED, START - OLD_MS - 1) is None
    assert ledger.stands("post-2", PostStatus.FAILED, START - OLD_MS) == News(
        NoticeKind.FAILED, "post-2", missed=True
    )


def test_a_clock_that_is_set_back_silences_nothing() -> None:
    ledger = Ledger(START)
    ledger.pass_time(START - 5 * HOUR)
    assert ledger.went_out("post-1", START - 4 * HOUR, START - 4 * HOUR) == News(
        NoticeKind.PUBLISHED, "post-1"
    )


def late(key: str, ms: int, cause: Absence) -> News:
    return News(NoticeKind.PUBLISHED, key, delay=Delay(ms, cause))


def test_a_post_is_late_because_this_computer_slept_or_kalends_was_closed() -> None:
    ledger = Ledger(START, runs_here=True)
    woken = START + 2 * HOUR
    assert ledger.went_out("closed", START + MINUTE, START - HOUR) == late(
        "closed", HOUR + MINUTE, Absence.CLOSED
    )
    ledger.pass_time(woken)
    assert ledger.went_out("asleep", woken, woken - HOUR) == late("asleep", HOUR, Absence.ASLEEP)
    on_time = News(NoticeKind.PUBLISHED, "on time")
    assert ledger.went_out("on time", woken + MINUTE, woken - 3 * MINUTE) == on_time
    retried = News(NoticeKind.PUBLISHED, "retried")
    assert ledger.went_out("retried", woken + HOUR, woken + MINUTE) == retried


def test_a_service_elsewhere_is_not_late_because_this_computer_slept() -> None:
    ledger = Ledger(START)
    ledger.pass_time(START + 2 * HOUR)
    news = ledger.went_out("post-1", START + 2 * HOUR, START + HOUR)
    assert news == News(NoticeKind.PUBLISHED, "post-1")


def test_posts_of_two_sleeps_are_late_both() -> None:
    ledger = Ledger(START, runs_here=True)
    for moment in (HOUR, HOUR + MINUTE, 2 * HOUR):
        ledger.pass_time(START + moment)
    now = START + 2 * HOUR
    assert ledger.went_out("first", now, START + HOUR // 2) == late("first", 3 * HOUR // 2, Absence.ASLEEP)
    assert ledger.went_out("second", now, now - HOUR // 2) == late("second", HOUR // 2, Absence.ASLEEP)


def test_an_upload_is_news_when_it_was_seen_underway() -> None:
    ledger = Ledger(START, underway=["kept"])
    assert ledger.upload("kept", is_done=True) == News(NoticeKind.UPLOADED, "kept")
    assert ledger.upload("kept", is_done=True) is None
    assert ledger.upload("adopted", is_done=True) is None
    assert ledger.upload("new", is_done=False) is None
    assert ledger.upload("new", is_done=True) == News(NoticeKind.UPLOADED, "new")
