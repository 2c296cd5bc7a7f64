"""``python -m app``: the desktop app."""

import sys

from app.desktop.main import main

if __name__ == "__main__":
    sys.exit(main())
