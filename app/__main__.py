"""``python -m app``: the desktop app."""

import gc
import sys

from app.children.lean import leave_out

if __name__ == "__main__":
    gc.disable()  # the collector on the GUI thread takes over once the event loop runs
    leave_out("click", "pygments", "rich")  # httpx and structlog look for them

    from app.desktop.main import main

    sys.exit(main())
