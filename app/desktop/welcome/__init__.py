"""The first screen: where shall the calendar live?"""

from app.desktop.welcome.screen import WelcomeScreen

__all__ = ["WelcomeScreen"]
