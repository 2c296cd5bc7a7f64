"""File and folder operations that work on every system. Standard library only."""

from app.disk.files import flush_folder, move, replace, write_whole

__all__ = ["flush_folder", "move", "replace", "write_whole"]
