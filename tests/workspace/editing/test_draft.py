"""Versions of a text that stay linked until they are changed."""

from hypothesis import given
from hypothesis import strategies as st

from app.workspace.editing.draft import SHARED, LinkedText

TEXTS = st.sampled_from(["", "one", "two", "three"])
WRITES = st.lists(st.tuples(st.sampled_from([SHARED, "a", "b"]), TEXTS), max_size=12)


def test_a_version_follows_until_it_is_changed() -> None:
    text = LinkedText("Wool")
    text = text.write(SHARED, "Wool is back")
    assert text.of("x") == "Wool is back"
    text = text.write("x", "Wool")
    text = text.write(SHARED, "Linen")
    assert (text.of("x"), text.of("linkedin")) == ("Wool", "Linen")
    text = text.link("x")
    assert text.of("x") == "Linen"


def test_a_version_that_reads_like_the_shared_one_is_linked_again() -> None:
    text = LinkedText("Wool", {"x": "Wo"})
    text = text.write("x", "Wool")
    assert not text.differs("x")


def test_typing_the_shared_text_through_a_version_does_not_link_it() -> None:
    text = LinkedText("Woo", {"x": "Wool"})
    for typed in ("Wool", "Wool is"):
        text = text.write(SHARED, typed)
    assert text.of("x") == "Wool"


@given(WRITES)
def test_what_was_written_last_is_read_and_only_versions_that_differ_are_own(
    writes: list[tuple[str, str]],
) -> None:
    text = LinkedText()
    for version, words in writes:
        text = text.write(version, words)
        assert text.of(version) == words
        assert version == SHARED or text.differs(version) == (words != text.shared)
        assert {key: text.of(key) for key in text.own} == text.own
