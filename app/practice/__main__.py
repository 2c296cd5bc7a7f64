"""``python -m app.practice``: the practice platforms as a program."""

import sys

from app.practice.cli import main

sys.exit(main())
