"""`python -m tests.gallery.measure [--only NAME ...] [--language CODE]`: what nobody could read."""

import faulthandler
import os
import sys
from pathlib import Path

from app import language
from tests.gallery.measure import options

if __name__ == "__main__":
    faulthandler.enable()  # what ends the whole process would say nothing otherwise
    # Set before anything imports Qt, asks where the home folder is, or says a sentence.
    # A screen as large as the window: the usual one is smaller, and cuts menus to its width.
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('screen.json')}"
    os.environ["QT_SCALE_FACTOR"] = "2"  # strokes a pixel wide have no middle, and so no colour of their own
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    chosen = options.read(sys.argv[1:])
    language.use(chosen.language)
    from tests.gallery.measure.command import main

    sys.exit(main(chosen))
