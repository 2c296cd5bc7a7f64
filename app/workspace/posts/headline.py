"""The one line that stands for a post."""

HEADLINE_MAX = 140


def headline(title: str | None, text: str | None) -> str:
    """The title, or else the first words, on one line of at most 140 characters."""
    for source in (title, text):
        # Ten times the length is enough to find the words, and a long text is not walked through.
        line = " ".join((source or "")[: HEADLINE_MAX * 10].split())
        if line:
            return line if len(line) <= HEADLINE_MAX else line[: HEADLINE_MAX - 1].rstrip() + "…"
    return ""
