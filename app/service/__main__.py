"""``python -m app.service``."""

import sys

from app.children.lean import leave_out, uncollected, use_one_arena

if __name__ == "__main__":  # helper processes for media import this module again
    use_one_arena()
    leave_out("pygments", "rich")  # structlog and httpx would import them
    with uncollected():
        from app.service.cli import main
    sys.exit(main())
