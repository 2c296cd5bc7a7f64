"""The welcome screen, which sets up the first calendar."""

from app.desktop.welcome.screen import WelcomeScreen

__all__ = ["WelcomeScreen"]
