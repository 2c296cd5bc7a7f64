"""Setting up platforms: what to register where, the keys, and a test of them."""

from app.desktop.setup.panel import SetupPanel

__all__ = ["SetupPanel"]
