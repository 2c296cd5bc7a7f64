"""The pane of the settings."""

from app.desktop.settings.pane import SettingsPane

__all__ = ["SettingsPane"]
