"""The settings pane."""

from app.desktop.settings.pane import SettingsPane

__all__ = ["SettingsPane"]
