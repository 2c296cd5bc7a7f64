"""Names of cities that time zones are called after."""

from typing import Final
from zoneinfo import ZoneInfo

from app.language.catalogue import gettext_noop, tr

_TRANSLATED: Final = (
    gettext_noop("Addis Ababa"),
    gettext_noop("Algiers"),
    gettext_noop("Ashgabat"),
    gettext_noop("Athens"),
    gettext_noop("Azores"),
    gettext_noop("Baghdad"),
    gettext_noop("Belgrade"),
    gettext_noop("Bishkek"),
    gettext_noop("Bogota"),
    gettext_noop("Brussels"),
    gettext_noop("Bucharest"),
    gettext_noop("Cairo"),
    gettext_noop("Cape Verde"),
    gettext_noop("Chisinau"),
    gettext_noop("Copenhagen"),
    gettext_noop("Damascus"),
    gettext_noop("Djibouti"),
    gettext_noop("Dushanbe"),
    gettext_noop("Faroe"),
    gettext_noop("Fiji"),
    gettext_noop("Havana"),
    gettext_noop("Ho Chi Minh"),
    gettext_noop("Hong Kong"),
    gettext_noop("Jamaica"),
    gettext_noop("Khartoum"),
    gettext_noop("Kiev"),
    gettext_noop("Kolkata"),
    gettext_noop("Krasnoyarsk"),
    gettext_noop("Kyiv"),
    gettext_noop("Lisbon"),
    gettext_noop("Luxembourg"),
    gettext_noop("Maldives"),
    gettext_noop("Mexico City"),
    gettext_noop("Mogadishu"),
    gettext_noop("Moscow"),
    gettext_noop("Nicosia"),
    gettext_noop("Novosibirsk"),
    gettext_noop("Prague"),
    gettext_noop("Reykjavik"),
    gettext_noop("Riyadh"),
    gettext_noop("Rome"),
    gettext_noop("Sao Paulo"),
    gettext_noop("Saratov"),
    gettext_noop("Singapore"),
    gettext_noop("Taipei"),
    gettext_noop("Tashkent"),
    gettext_noop("Tbilisi"),
    gettext_noop("Tehran"),
    gettext_noop("Tirane"),
    gettext_noop("Tokyo"),
    gettext_noop("Tripoli"),
    gettext_noop("Ulaanbaatar"),
    gettext_noop("Vatican"),
    gettext_noop("Vienna"),
    gettext_noop("Vladivostok"),
    gettext_noop("Volgograd"),
    gettext_noop("Warsaw"),
    gettext_noop("Yakutsk"),
    gettext_noop("Yekaterinburg"),
    gettext_noop("Yerevan"),
    gettext_noop("Zurich"),
)
"""Cities with another name in other languages."""


def city(zone: ZoneInfo) -> str:
    """Return the city that a time zone is named after, such as "New York", in the app's language."""
    return city_in(zone.key or "")


def city_in(zone: str) -> str:
    """Return the same by a zone's name, "America/New_York"."""
    name = zone.rpartition("/")[2].replace("_", " ")
    return tr(name) if name in _TRANSLATED else name
