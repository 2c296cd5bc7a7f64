"""The words around emoji; their own names are English, as in the file of them."""

from types import MappingProxyType
from typing import Final

from app.language import tr, trc

GROUPS: Final = MappingProxyType(
    {
        "Smileys & emotion": tr("Smileys & emotion"),
        "People & body": tr("People & body"),
        "Animals & nature": tr("Animals & nature"),
        "Food & drink": tr("Food & drink"),
        "Travel & places": tr("Travel & places"),
        "Activities": tr("Activities"),
        "Objects": tr("Objects"),
        "Symbols": tr("Symbols"),
        "Flags": tr("Flags"),
    }
)
"""What people read, by the name of a group in the file."""
SHOWN_TONES: Final = (
    tr("No skin tone"),
    trc("skin tone", "Light"),
    trc("skin tone", "Medium-light"),
    trc("skin tone", "Medium"),
    trc("skin tone", "Medium-dark"),
    trc("skin tone", "Dark"),
)
"""Entries of a menu, by the number of the tone."""
SPOKEN_TONES: Final = (
    trc("skin tone", "none"),
    trc("skin tone", "light"),
    trc("skin tone", "medium-light"),
    trc("skin tone", "medium"),
    trc("skin tone", "medium-dark"),
    trc("skin tone", "dark"),
)
"""Behind "Skin tone:", by number."""
