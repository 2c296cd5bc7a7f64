"""Tables of other programs coming in, and posts going out as tables."""

from app.desktop.exchange.import_sheet import ImportSheet
from app.desktop.exchange.tables import Tables

__all__ = ["ImportSheet", "Tables"]
