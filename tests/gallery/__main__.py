"""`python -m tests.gallery OUT [--only NAME | --screenshots]`: every screen and state as PNG."""

import os
import sys

if __name__ == "__main__":
    # Set before anything imports Qt or asks where the home folder is.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    from tests.gallery.command import main

    sys.exit(main(sys.argv[1:]))
