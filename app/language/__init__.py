"""The language of the UI: English in the code, translations in gettext catalogues.

Other packages call ``tr("Move to {day}", day=day)``. The API, logs and files for other programs stay English.
"""

from app.language.catalogue import LANGUAGES, current, figure, filled, gettext_noop, tr, trc, trn, use
from app.language.dates import day, month_name, month_short, weekday_name, weekday_short
from app.language.numbers import compact, number
from app.language.sentences import mid_sentence, sentence_start

__all__ = [
    "LANGUAGES",
    "compact",
    "current",
    "day",
    "figure",
    "filled",
    "gettext_noop",
    "mid_sentence",
    "month_name",
    "month_short",
    "number",
    "sentence_start",
    "tr",
    "trc",
    "trn",
    "use",
    "weekday_name",
    "weekday_short",
]
