"""``python -m app.service``."""

import sys

from app.service.cli import main

if __name__ == "__main__":  # processes that look into media import this module again
    sys.exit(main())
