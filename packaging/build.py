"""Make what is given out: `python packaging/build.py freeze | deb | rpm | appdir | appimage`.

Results are in `dist/`. Each command makes what it needs of the ones before it.
"""

import sys

from release.main import main

sys.exit(main(sys.argv[1:]))
