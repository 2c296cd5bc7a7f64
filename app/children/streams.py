"""Standard output and error, which a program without a console doesn't have on Windows."""

import os
import sys


def provide_streams() -> None:
    """Have what is written to a missing output go nowhere, instead of ending the program with an error."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123  until the end
