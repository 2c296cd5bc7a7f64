"""X's counting of characters, by the twitter-text configuration v3.

A link counts 23, an emoji 2 regardless of its code points, most letters 1, East Asian characters 2. The text
is counted in NFC. Source: twitter-text 3.1.0, and tested against it.
"""

from typing import Final

import regex

from app.platforms.composition import composed
from app.platforms.x.links import find_links

# Those of Unicode 14, as in twitter-text 3.1.0, without skin tones and variation selectors.
_WORDS: Final = """
⛹+♀ ⛹+♂ ❤+🔥 ❤+🩹 🏃+♀ 🏃+♂ 🏄+♀ 🏄+♂ 🏊+♀ 🏊+♂ 🏋+♀ 🏋+♂ 🏌+♀ 🏌+♂ 🏳+⚧ 🏳+🌈
🏴+☠ 🐈+⬛ 🐕+🦺 🐻+❄ 👨+⚕ 👨+⚖ 👨+✈ 👨+❤+👨 👨+❤+💋+👨 👨+🌾 👨+🍳 👨+🍼 👨+🎓 👨+🎤 👨+🎨
👨+🏫 👨+🏭 👨+👦 👨+👦+👦 👨+👧 👨+👧+👦 👨+👧+👧 👨+👨+👦 👨+👨+👦+👦 👨+👨+👧 👨+👨+👧+👦
👨+👨+👧+👧 👨+👩+👦 👨+👩+👦+👦 👨+👩+👧 👨+👩+👧+👦 👨+👩+👧+👧 👨+💻 👨+💼 👨+🔧 👨+🔬 👨+🚀
👨+🚒 👨+🦯 👨+🦰 👨+🦱 👨+🦲 👨+🦳 👨+🦼 👨+🦽 👩+⚕ 👩+⚖ 👩+✈ 👩+❤+👨 👩+❤+👩 👩+❤+💋+👨
👩+❤+💋+👩 👩+🌾 👩+🍳 👩+🍼 👩+🎓 👩+🎤 👩+🎨 👩+🏫 👩+🏭 👩+👦 👩+👦+👦 👩+👧 👩+👧+👦 👩+👧+👧
👩+👩+👦 👩+👩+👦+👦 👩+👩+👧 👩+👩+👧+👦 👩+👩+👧+👧 👩+💻 👩+💼 👩+🔧 👩+🔬 👩+🚀 👩+🚒 👩+🦯
👩+🦰 👩+🦱 👩+🦲 👩+🦳 👩+🦼 👩+🦽 👮+♀ 👮+♂ 👯+♀ 👯+♂ 👰+♀ 👰+♂ 👱+♀ 👱+♂ 👳+♀ 👳+♂
👷+♀ 👷+♂ 💁+♀ 💁+♂ 💂+♀ 💂+♂ 💆+♀ 💆+♂ 💇+♀ 💇+♂ 🕵+♀ 🕵+♂ 😮+💨 😵+💫 😶+🌫 🙅+♀
🙅+♂ 🙆+♀ 🙆+♂ 🙇+♀ 🙇+♂ 🙋+♀ 🙋+♂ 🙍+♀ 🙍+♂ 🙎+♀ 🙎+♂ 🚣+♀ 🚣+♂ 🚴+♀ 🚴+♂ 🚵+♀
🚵+♂ 🚶+♀ 🚶+♂ 🤦+♀ 🤦+♂ 🤵+♀ 🤵+♂ 🤷+♀ 🤷+♂ 🤸+♀ 🤸+♂ 🤹+♀ 🤹+♂ 🤼+♀ 🤼+♂ 🤽+♀
🤽+♂ 🤾+♀ 🤾+♂ 🦸+♀ 🦸+♂ 🦹+♀ 🦹+♂ 🧍+♀ 🧍+♂ 🧎+♀ 🧎+♂ 🧏+♀ 🧏+♂ 🧑+⚕ 🧑+⚖ 🧑+✈
🧑+🌾 🧑+🍳 🧑+🍼 🧑+🎄 🧑+🎓 🧑+🎤 🧑+🎨 🧑+🏫 🧑+🏭 🧑+💻 🧑+💼 🧑+🔧 🧑+🔬 🧑+🚀 🧑+🚒 🧑+🤝+🧑
🧑+🦯 🧑+🦰 🧑+🦱 🧑+🦲 🧑+🦳 🧑+🦼 🧑+🦽 🧔+♀ 🧔+♂ 🧖+♀ 🧖+♂ 🧗+♀ 🧗+♂ 🧘+♀ 🧘+♂ 🧙+♀
🧙+♂ 🧚+♀ 🧚+♂ 🧛+♀ 🧛+♂ 🧜+♀ 🧜+♂ 🧝+♀ 🧝+♂ 🧞+♀ 🧞+♂ 🧟+♀ 🧟+♂
"""

SEQUENCES: Final = frozenset(tuple(word.split("+")) for word in _WORDS.split())
"""Each sequence as its parts, which U+200D joins in a text."""


_LINK_WEIGHT: Final = 23
_EMOJI_WEIGHT: Final = 2
_LIGHT: Final = regex.compile(r"[\u0000-\u10FF\u2000-\u200D\u2010-\u201F\u2032-\u2037]")
_EMOJI: Final = regex.compile(
    r"""
      [#*0-9]\uFE0F?\u20E3
    | \p{Regional_Indicator}{2}
    | \U0001F3F4[\U000E0030-\U000E0039\U000E0061-\U000E007A]+\U000E007F
    | (?P<one>
        \p{Emoji_Modifier_Base}\p{Emoji_Modifier}
      | (?![#*0-9\u267E]|\p{Emoji_Presentation})\p{Emoji}\uFE0F
      | (?!\p{Regional_Indicator})\p{Emoji_Presentation}(?!\uFE0E)
        (?:(?<=[\u231A-\u2B55\U0001F004\U0001F21A\U0001F22F])\uFE0F)?
      )
      (?:\u200D(?&one))*
    """,
    regex.VERBOSE,
)
_JOINER: Final = "\u200d"
_LONGEST_SEQUENCE: Final = max(map(len, SEQUENCES))
_TONES: Final = regex.compile(r"[\U0001F3FB-\U0001F3FF]")
_FAMILY: Final = frozenset("👦👧👨👩")
"""Families have no skin tones; with one, each emoji counts separately."""
_CASHTAG: Final = regex.compile(r"(?<![\w$])\$[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?(?![\w$])")


def weighted_length(text: str) -> int:
    """Return the length of a text in X's units."""
    normal = composed(text)
    total = last = 0
    for start, end in find_links(normal):
        total += _weight(normal[last:start]) + _LINK_WEIGHT
        last = end
    return total + _weight(normal[last:])


def has_link(text: str) -> bool:
    """Return whether X turns any part of the text into a link; a bare domain is one."""
    return bool(find_links(composed(text)))


def cashtags(text: str) -> int:
    """Return the number of cashtags, such as ``$ABC``."""
    return len(_CASHTAG.findall(text))


def _weight(text: str) -> int:
    """Return the weight of a text without links."""
    if text.isascii():
        return len(text)
    emoji, between, at = 0, [], 0
    for found in _EMOJI.finditer(text):
        between.append(text[at : found.start()])
        emoji += _emoji_weight(found[0])
        at = found.end()
    rest = "".join([*between, text[at:]])
    return emoji + 2 * len(rest) - len(_LIGHT.findall(rest))


def _emoji_weight(chain: str) -> int:
    """Return the weight of joined emoji: the longest known sequences count as one, and so do joiners."""
    written = tuple(chain.replace("\ufe0f", "").split(_JOINER))
    plain = tuple(_TONES.sub("", chain.replace("\ufe0f", "")).split(_JOINER))
    weight, at = -1, 0
    while at < len(plain):
        longest = min(len(plain) - at, _LONGEST_SEQUENCE)
        lengths = range(longest, 1, -1)
        at += next((n for n in lengths if _is_one(written[at : at + n], plain[at : at + n])), 1)
        weight += _EMOJI_WEIGHT + 1
    return weight


def _is_one(written: tuple[str, ...], plain: tuple[str, ...]) -> bool:
    return plain in SEQUENCES and (plain == written or not _FAMILY.issuperset(plain))
