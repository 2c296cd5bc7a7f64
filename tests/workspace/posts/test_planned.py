"""The timeline is always the sorted list of its posts."""

from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.posts.planned import HEADLINE_MAX, PlannedPost, Timeline, headline

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


@given(st.text() | st.none(), st.text() | st.none())
def test_a_headline_is_one_short_line(title: str | None, text: str | None) -> None:
    line = headline(title, text)
    assert len(line) <= HEADLINE_MAX
    assert line == " ".join(line.split())
    assert bool(line) == bool((title or "").strip() or (text or "").strip())
