"""Starting with the computer: one small file or value, where each system documents it."""

from app.workspace.login.login import LoginItem, login_item

__all__ = ["LoginItem", "login_item"]
