"""The language of what a person reads: English in the code, other languages in gettext's catalogues.

Everybody else writes ``tr("Move to {day}", day=day)``. What goes over the wire, into a log or into a file for
other programs stays English.
"""

from app.language.catalogue import LANGUAGES, current, figure, filled, gettext_noop, tr, trc, trn, use
from app.language.dates import month_name, month_short, weekday_name, weekday_short
from app.language.numbers import number
from app.language.sentences import mid_sentence, sentence_start

__all__ = [
    "LANGUAGES",
    "current",
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
