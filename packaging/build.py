"""Make what is given out: `python packaging/build.py freeze | selftest | deb | rpm | appdir | appimage | nsis | dmg | image`.

Results are in `dist/`. Each command makes what it needs of the ones before it.
`notices | sources | sbom | sums` make what accompanies them, and `feed` signs the list of updates.
"""

import sys

from release.main import main

sys.exit(main(sys.argv[1:]))
