"""Versions of a text that stay linked until they are changed."""

from hypothesis import given
from hypothesis import strategies as st

from app.workspace.editing.linked import SHARED, LinkedText

TEXTS = st.sampled_from(["", "one", "two", "three"])
WRITES = st.lists(st.tuples(st.sampled_from([SHARED, "a", "b"]), TEXTS), max_size=12)


def test_a_version_follows_until_it_is_changed() -> None:
    text = LinkedText("Wool")
    text.write(SHARED, "Wool is back")
    assert text.of("x") == "Wool is back"
    text.write("x", "Wool")
    text.write(SHARED, "Linen")
    assert (text.of("x"), text.of("linkedin")) == ("Wool", "Linen")
    text.link("x")
    assert text.of("x") == "Linen"


def test_a_version_that_reads_like_the_shared_one_is_linked_again() -> None:
    text = LinkedText("Wool", {"x": "Wo"})
    text.write("x", "Wool")
    assert not text.differs("x")


def test_typing_the_shared_text_through_a_version_does_not_link_it() -> None:
    text = LinkedText("Woo", {"x": "Wool"})
    for typed in ("Wool", "Wool is"):
        text.write(SHARED, typed)
    assert text.of("x") == "Wool"


def test_what_is_written_for_an_account_that_is_not_chosen_is_left_out() -> None:
    assert LinkedText("Wool", {"x": "1", "y": "2"}).only(["y", "z"]) == {"y": "2"}


@given(WRITES)
def test_what_was_written_last_is_read_and_only_versions_that_differ_are_own(
    writes: list[tuple[str, str]],
) -> None:
    text = LinkedText()
    for version, words in writes:
        text.write(version, words)
        assert text.of(version) == words
        assert version == SHARED or text.differs(version) == (words != text.shared)
        assert {key: text.of(key) for key in text.own} == text.own
