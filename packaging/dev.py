"""Set up this project and run it: `python3 packaging/dev.py run | test | lock | doctor`.

Uses only the standard library. Also has to parse on the Python versions that it rejects.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (an old Python gets a message instead of a traceback)
    sys.exit("Kalends needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031

from setup.main import main

sys.exit(main(sys.argv[1:]))
