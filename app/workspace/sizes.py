"""Amounts of data in words."""

from app.language import figure, trn


def data_size(size: int) -> str:
    """``640 KB``, ``12.4 MB``; the units of file managers, in steps of 1024."""
    for unit, name in ((1024**3, "GB"), (1024**2, "MB"), (1024, "KB")):
        if size >= unit:
            return figure(f"{size / unit:.1f}".removesuffix(".0")) + f" {name}"
    return trn("{n} byte", "{n} bytes", size)
