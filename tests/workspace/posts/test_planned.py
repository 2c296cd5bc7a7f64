"""The timeline is always the sorted list of its posts."""

from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.posts.planned import HEADLINE_MAX, PlannedPost, Timeline, draft_key, draft_of, headline

KEYS = st.sampled_from([f"k{n}" for n in range(30)])
PUTS = st.dictionaries(KEYS, st.integers(0, 50))


def post(key: str, at: int) -> PlannedPost:
    return PlannedPost(key, at, "a", PostingPlatform.X, PostType.TEXT, PostStatus.SCHEDULED, "")


@given(PUTS, st.lists(st.tuples(PUTS, st.sets(KEYS)), max_size=20), st.integers(0, 60), st.integers(0, 60))
def test_it_equals_a_sorted_dictionary(
    first: dict[str, int], steps: list[tuple[dict[str, int], set[str]]], start: int, end: int
) -> None:
    model = dict(first)
    timeline = Timeline(post(key, at) for key, at in first.items())
    for puts, removed in steps:
        timeline.apply([post(key, at) for key, at in puts.items()], removed)
        model = {**{key: at for key, at in model.items() if key not in removed}, **puts}
        ordered = sorted((at, key) for key, at in model.items())
        assert [(found.at, found.key) for found in timeline.all()] == ordered
        assert {key: at for key in model if (found := timeline.get(key)) for at in [found.at]} == model
    ordered = sorted((at, key) for key, at in model.items())
    assert [(p.at, p.key) for p in timeline.between(start, end)] == [
        o for o in ordered if start <= o[0] < end
    ]
    following = timeline.next_scheduled(start)
    assert (following and following.at) == next((at for at, _ in ordered if at > start), None)


def test_a_post_whose_answer_was_lost_is_in_no_inbox() -> None:
    sent = post("a", 1)._replace(status=PostStatus.PROCESSING)
    assert not sent.is_in_inbox
    assert sent._replace(reason="It's in your inbox on the platform.").is_in_inbox
    assert not sent._replace(reason="The answer was lost.", may_be_live=True).is_in_inbox


@given(st.text() | st.none(), st.text() | st.none())
def test_a_headline_is_one_short_line(title: str | None, text: str | None) -> None:
    line = headline(title, text)
    assert len(line) <= HEADLINE_MAX
    assert line == " ".join(line.split())
    assert bool(line) == bool((title or "").strip() or (text or "").strip())


def test_a_reader_keeps_the_posts_it_knows_until_it_catches_up() -> None:
    before, gone = post("changes", 1_000), post("gone", 2_000)
    timeline = Timeline([before, gone])
    reader = timeline.reader()
    timeline.apply([before._replace(at=3_000)], ["gone"])
    timeline.apply([before._replace(at=4_000), gone._replace(at=5_000)])
    assert (reader.get("changes"), reader.get("gone")) == (before, gone)
    assert timeline.reader().get("changes") == before._replace(at=4_000)
    reader.catch_up(["changes"])
    assert (reader.get("changes"), reader.get("gone")) == (before._replace(at=4_000), gone)


@given(st.uuids().map(str), st.text(min_size=1))
def test_the_idempotency_key_of_a_post_names_its_draft(draft: str, account: str) -> None:
    assert draft_of(draft_key(draft, account), account) == draft
    assert not draft_of(draft_key(draft, account), account + "other")
    assert not draft_of(draft, account)
    assert not draft_of(None, account)
