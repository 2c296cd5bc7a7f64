"""Nothing is told at once, nothing is lost, and nobody is flooded."""

from itertools import pairwise
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from app.workspace.notices.gathering import Gathering, Rhythm
from app.workspace.notices.notice import News, NoticeKind

RHYTHM = Rhythm(3.0, dict.fromkeys(NoticeKind, 60.0) | {NoticeKind.PUBLISHED: 600.0})
NEWS = st.builds(News, st.sampled_from(NoticeKind), st.sampled_from("abcdefgh"), missed=st.booleans())


def test_thirty_posts_within_an_hour_are_told_seven_times() -> None:
    gathering, told = Gathering(RHYTHM), []
    for second in range(3_700):
        if second % 120 == 0 and second < 3_600:
            gathering.add(News(NoticeKind.PUBLISHED, f"post-{second}"), second)
        told += gathering.take(second)
    told += gathering.take(10_000)
    assert [len(group) for group in told] == [1, 5, 5, 5, 5, 5, 4]


@given(st.lists(st.tuples(NEWS, st.integers(0, 90))))
def test_everything_is_told_together_with_its_like_and_never_too_often(
    added: list[tuple[News, int]],
) -> None:
    gathering, now = Gathering(RHYTHM), 0.0
    told: dict[tuple[NoticeKind, bool], list[tuple[float, list[News]]]] = {}
    for news, wait in added:
        gathering.add(news, now)
        now += wait
        for group in gathering.take(now):
            told.setdefault((group[0].kind, group[0].missed), []).append((now, group))
    while (pause := gathering.wait(now)) is not None:
        now += pause
        groups = gathering.take(now)
        assert groups
        for group in groups:
            told.setdefault((group[0].kind, group[0].missed), []).append((now, group))
    for (kind, missed), tellings in told.items():
        assert all((one.kind, one.missed) == (kind, missed) for _, group in tellings for one in group)
        times = [at for at, _ in tellings]
        assert all(b - a >= RHYTHM.again[kind] - 1e-6 for a, b in pairwise(times))
    assert {one for group in told.values() for _, each in group for one in each} == {one for one, _ in added}


def test_a_group_of_which_more_is_to_come_waits() -> None:
    gathering = Gathering(RHYTHM)
    gathering.add(News(NoticeKind.UPLOADED, "a"), 0)
    assert gathering.take(4, lambda _group: inf) == []
    gathering.add(News(NoticeKind.UPLOADED, "b"), 5)
    assert [len(group) for group in gathering.take(7)] == [2]


def test_a_group_waits_no_longer_than_patience_lasts() -> None:
    gathering = Gathering(RHYTHM)
    gathering.add(News(NoticeKind.FAILED, "a"), 0)
    now, pauses = 0.0, []
    while (pause := gathering.wait(now)) is not None:
        pauses.append(pause)
        now += pause
        gathering.take(now, lambda _group: 4.0)
    assert pauses == [3.0, 3.0, 1.0]


def test_what_is_over_is_not_told() -> None:
    gathering = Gathering(RHYTHM)
    gathering.add(News(NoticeKind.FAILED, "a"), 0)
    gathering.drop(lambda news: news.key == "a")
    assert gathering.wait(0) is None
    assert gathering.take(100) == []
