"""Make what is given out: `python packaging/build.py freeze | selftest | deb | rpm | appdir | appimage`.

Results are in `dist/`. Each command makes what it needs of the ones before it.
`nsis` and `dmg` run on their own systems or with their tools, `image` makes the container of the service,
`notices | sources | sbom | sums` make what accompanies them, and `feed` signs the list of updates.
"""

import sys

from release.main import main

sys.exit(main(sys.argv[1:]))
