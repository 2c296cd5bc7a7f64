"""LinkedIn's "little text" format of a post's commentary, read as LinkedIn shows it.

Source: the description of the format with LinkedIn's Posts API.
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
    """The text that readers see.

    Escapes are undone, hashtags and mentions become their names, and an unescaped ``(`` silently ends the
    text, as on the real platform.
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
    """The commentary that shows exactly a text."""
    return re.sub(r"[\\|{}@\[\]()<>#*_~]", r"\\\g<0>", text)
