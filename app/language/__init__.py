"""The language of the UI: English in the code, translations in gettext catalogues.

Other packages call ``tr("Move to {day}", day=day)``. The API, logs and files for other programs stay English.
"""

from app.language.catalogue import (
    LANGUAGES,
    current,
    figure,
    filled,
    gettext_noop,
    mid_sentence,
    sentence_start,
    tr,
    trc,
    trn,
    use,
)
from app.language.cities import city, city_in
from app.language.formats import (
    compact,
    data_size,
    day,
    month_name,
    month_short,
    number,
    percent,
    weekday_name,
    weekday_short,
)

__all__ = [
    "LANGUAGES",
    "city",
    "city_in",
    "compact",
    "current",
    "data_size",
    "day",
    "figure",
    "filled",
    "gettext_noop",
    "mid_sentence",
    "month_name",
    "month_short",
    "number",
    "percent",
    "sentence_start",
    "tr",
    "trc",
    "trn",
    "use",
    "weekday_name",
    "weekday_short",
]
