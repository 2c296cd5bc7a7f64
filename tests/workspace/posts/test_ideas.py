"""Posts of one idea form a group, and every post is in exactly one."""

from itertools import chain
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.posts.ideas import Idea, by_idea, idea_of
from app.workspace.posts.planned import PlannedPost, SyncState


def post(
    key: str,
    words: str = "Studio sale",
    account: str = "",
    status: PostStatus = PostStatus.SCHEDULED,
    batch: str | None = None,
    media: str = "",
) -> PlannedPost:
    return PlannedPost(
        key=key,
        at=0,
        account_key=account or f"account of {key}",
        platform=PostingPlatform.X,
        post_type=PostType.TEXT,
        status=status,
        headline=words,
        published=status is PostStatus.POSTED,
        batch_id=batch,
        media=media,
    )


def keys(ideas: list[Idea]) -> list[list[str]]:
    return sorted([one.key for one in idea] for idea in ideas)


SOME = st.lists(
    st.builds(
        post,
        st.uuids(version=4).map(str),
        st.sampled_from(["", "one", "two"]),
        st.sampled_from("abcd"),
        st.sampled_from(list(PostStatus)),
        st.sampled_from([None, "first batch", "second batch"]),
        st.sampled_from(["", "a.jpg"]),
    ),
    unique_by=lambda one: one.key,
    max_size=12,
)


@given(SOME)
def test_every_post_is_in_exactly_one_idea(posts: list[PlannedPost]) -> None:
    assert sorted(chain(*by_idea(posts))) == sorted(posts)


@given(SOME, st.randoms(use_true_random=False))
def test_ideas_do_not_depend_on_the_order_of_posts(posts: list[PlannedPost], random: Random) -> None:
    mixed = posts.copy()
    random.shuffle(mixed)
    assert set(by_idea(mixed)) == set(by_idea(posts))


@given(SOME)
def test_an_idea_has_each_account_once_and_no_cancelled_post_among_others(posts: list[PlannedPost]) -> None:
    for idea in by_idea(posts):
        assert len({one.account_key for one in idea}) == len(idea)
        assert len({one.status is PostStatus.CANCELLED for one in idea}) == 1


@given(SOME)
def test_each_post_finds_its_idea(posts: list[PlannedPost]) -> None:
    ideas = by_idea(posts)
    assert all(one in idea_of(one, posts) for one in posts)
    assert {idea_of(one, posts) for one in posts} == set(ideas)
    gone = post("gone")
    assert idea_of(gone, posts) == (gone,)


def test_the_same_words_are_one_idea_and_others_are_not() -> None:
    assert keys(by_idea([post("a"), post("b"), post("c", "Something else")])) == [["a", "b"], ["c"]]


def test_posts_of_one_batch_are_one_idea_whatever_their_words() -> None:
    found = by_idea([post("a", "Long", batch="1"), post("b", "Short", batch="1"), post("c", "Short")])
    assert keys(found) == [["a", "b", "c"]]


def test_a_file_joins_posts_without_words_only() -> None:
    picture = "sale.jpg"
    posts = [post("a", "", media=picture), post("b", "", media=picture), post("c", "Words", media=picture)]
    assert keys(by_idea(posts)) == [["a", "b"], ["c"]]
    assert keys(by_idea([post("a", ""), post("b", "")])) == [["a"], ["b"]]


def test_the_post_that_needs_the_user_most_comes_first() -> None:
    states = {
        "a": post("a", status=PostStatus.POSTED),
        "b": post("b"),
        "c": post("c", status=PostStatus.PROCESSING),
        "d": post("d")._replace(sync=SyncState.CONFLICT),
        "e": post("e", status=PostStatus.FAILED)._replace(may_be_live=True),
        "f": post("f", status=PostStatus.FAILED),
    }
    assert keys(by_idea(list(states.values()))) == [["f", "e", "d", "c", "b", "a"]]


@given(st.permutations(["a", "b", "c"]))
def test_posts_of_one_draft_belong_together_although_their_texts_differ(order: list[str]) -> None:
    drafts = {"a": "one", "b": "one", "c": "other"}
    versions = [post(key, f"Text for {key}")._replace(draft=drafts[key]) for key in order]
    assert keys(by_idea(versions)) == [["a", "b"], ["c"]]
    cancelled = [one._replace(status=PostStatus.CANCELLED) if one.key == "a" else one for one in versions]
    assert keys(by_idea(cancelled)) == [["a"], ["b"], ["c"]]
