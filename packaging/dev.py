"""Set up this project and run it: `python3 packaging/dev.py run | test | lock | doctor`.

Standard library only. This file also has to parse on the Python versions that it refuses.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (an old Python gets one sentence, not a traceback)
    sys.exit("Kalends needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031

from setup.main import main

sys.exit(main(sys.argv[1:]))
