"""What others hand over: `kalends://` links and files, from a browser, a file manager or a second start."""

from app.desktop.links.errands import AddFiles, BeginPost, Errand, ShowDay, ShowPost, understood
from app.desktop.links.sheet import LinkSheet

__all__ = ["AddFiles", "BeginPost", "Errand", "LinkSheet", "ShowDay", "ShowPost", "understood"]
