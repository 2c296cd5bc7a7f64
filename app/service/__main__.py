"""``python -m app.service``."""

import sys

from app.service.cli import main

sys.exit(main())
