"""LinkedIn's "little text" format of a post's commentary, rendered as LinkedIn does.

Source: the format's description in LinkedIn's Posts API.
"""

import re

_TOKEN = re.compile(
    r"""
      \\(?P<escaped>[\\|{}@\[\]()<>#*_~])
    | \{hashtag\|\\?\#\|(?P<tag>[^{}|]+)\}
    | @\[(?P<name>(?:\\.|[^\]\\])+)\]\(urn:li:\w+:[\w-]+\)
    | (?P<cut>\()
    | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def shown_text(commentary: str) -> str:
    """Return the visible text.

    Escapes are resolved, hashtags and mentions become their names, and an unescaped ``(`` silently ends the
    text, like on the real platform.
    """
    shown: list[str] = []
    for token in _TOKEN.finditer(commentary):
        if token["cut"]:
            break
        if token["tag"]:
            shown.append("#" + token["tag"])
        elif token["name"]:
            shown.append(shown_text(token["name"]))
        else:
            shown.append(token["escaped"] or token["plain"])
    return "".join(shown)


def escaped(text: str) -> str:
    """Return the commentary that renders as exactly this text."""
    return re.sub(r"[\\|{}@\[\]()<>#*_~]", r"\\\g<0>", text)
