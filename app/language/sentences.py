"""Words inside sentences."""

from app.language.catalogue import current


def mid_sentence(name: str) -> str:
    """A name as it stands within a sentence: ``Data and backup`` in lower case; German keeps its capitals."""
    return name.lower() if current() == "en" else name


def sentence_start(words: str) -> str:
    """Words that begin a sentence: the first letter large, the others as they are."""
    return words[:1].upper() + words[1:]
