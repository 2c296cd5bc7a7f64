"""Platform setup: what to register where, the keys, and a self-test."""

from app.desktop.setup.panel import SetupPanel

__all__ = ["SetupPanel"]
