"""`python -m tests.gallery OUT [--only NAME] [--language CODE]`: every screen and state as PNG."""

import os
import sys
from pathlib import Path

from app import language
from tests.gallery import options

if __name__ == "__main__":
    # Set before anything imports Qt, asks where the home folder is, or says a sentence.
    # A usual screen: the platform's own is 800 px wide, and menus would be pushed to its edge.
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('screen.json')}"
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    chosen = options.read(sys.argv[1:])
    language.use(chosen.language)
    from tests.gallery.command import main

    sys.exit(main(chosen))
