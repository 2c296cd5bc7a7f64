"""Standard output and error, which are missing in Windows programs without a console."""

import os
import sys


def provide_streams() -> None:
    """Discard writes to a missing standard stream, instead of failing with an error."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123  open until exit
