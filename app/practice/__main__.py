"""``python -m app.practice``: run the practice platforms."""

import sys

from app.practice.cli import main

sys.exit(main())
