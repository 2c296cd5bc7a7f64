"""Files and folders as every system lets us change them. The standard library alone."""

from app.disk.folders import flush_folder
from app.disk.moving import move, replace

__all__ = ["flush_folder", "move", "replace"]
