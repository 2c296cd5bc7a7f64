"""The motion settings of Linux desktops, from the settings portal."""

from typing import Any, Final

from PySide6.QtCore import SLOT, QObject, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher, QDBusVariant
from PySide6.QtWidgets import QApplication

from app.desktop.motion import switch

_NAME: Final = "org.freedesktop.portal.Desktop"
_PATH: Final = "/org/freedesktop/portal/desktop"
_INTERFACE: Final = "org.freedesktop.portal.Settings"
_REDUCED: Final = "org.freedesktop.appearance", "reduced-motion"
"""1 if the user wants less motion; newer portals."""
_GNOME: Final = "org.gnome.desktop.interface", "enable-animations"
_KDE: Final = "org.kde.kdeglobals.KDE", "AnimationDurationFactor"
"""A number as text; 0 for no animations."""
_PATIENCE_MS: Final = 10_000
"""D-Bus may have to start the portal."""


class Portal(QObject):
    """The settings of a Linux desktop. Without a portal, motion isn't reduced."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._wants_less: dict[tuple[str, str], bool] = {}
        self._open = 0
        """How many questions have no answer yet; until then nothing moves."""

    def begin(self) -> None:
        """Ask for all settings without waiting for the answers."""
        bus = QDBusConnection.sessionBus()
        if not bus.isConnected():
            switch.set_system(allows=True)
            return
        slot: Any = SLOT("changed(QDBusMessage)")  # bytes, which the type stub asks for, are refused
        bus.connect(_NAME, _PATH, _INTERFACE, "SettingChanged", self, slot)
        for setting in (_REDUCED, _GNOME, _KDE):
            # Its successor, ReadOne, is missing in portals before 2023.
            message = QDBusMessage.createMethodCall(_NAME, _PATH, _INTERFACE, "Read")
            message.setArguments(list(setting))
            call = QDBusPendingCallWatcher(bus.asyncCall(message, _PATIENCE_MS), self)
            call.finished.connect(lambda done, setting=setting: self._take_answer(setting, done))
            self._open += 1

    def _take_answer(self, setting: tuple[str, str], done: QDBusPendingCallWatcher) -> None:
        self._open -= 1
        found = [] if done.isError() else done.reply().arguments()
        done.deleteLater()
        self._learn(setting, found[0] if found else None)

    @Slot(QDBusMessage)
    def changed(self, message: QDBusMessage) -> None:
        """Handle a changed setting of the desktop."""
        namespace, key, value = message.arguments()
        if (namespace, key) in (_REDUCED, _GNOME, _KDE):
            self._learn((namespace, key), value)

    def _learn(self, setting: tuple[str, str], value: object) -> None:
        while isinstance(value, QDBusVariant):
            value = value.variant()
        self._wants_less[setting] = wants_less(setting, value)
        switch.set_system(allows=not self._open and not any(self._wants_less.values()))


def wants_less(setting: tuple[str, str], value: object) -> bool:
    """Return whether a desktop's setting asks for less motion; a value of another type doesn't."""
    if setting == _REDUCED:
        return value == 1
    if setting == _GNOME:
        return value is False
    try:
        return float(str(value)) == 0
    except ValueError:
        return False
