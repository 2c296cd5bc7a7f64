"""Capitalization within sentences."""

from app.language.catalogue import current


def mid_sentence(name: str) -> str:
    """Return a name for use within a sentence, in lowercase. German keeps its capitals."""
    return name.lower() if current() == "en" else name


def sentence_start(words: str) -> str:
    """Capitalize the first letter."""
    return words[:1].upper() + words[1:]
