"""`python -m tests.gallery.recording OUT.webp`: the app in use, filmed for the README."""

import argparse
import os
import sys
from pathlib import Path

from app import language

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.gallery.recording", description=__doc__)
    parser.add_argument("out", type=Path, help="the WebP file to write")
    file = parser.parse_args().out
    # Set before anything imports Qt, asks where the home folder is, or says a sentence.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    language.use("en")
    from tests.gallery.filming import main

    sys.exit(main(file))
