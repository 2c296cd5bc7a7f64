"""Build releases: `python packaging/build.py freeze | selftest | deb | rpm | appdir | appimage`.

Results are in `dist/`. Each command first runs the commands it depends on. `nsis` and `dmg` run on their own
systems or with their tools. `image` builds the service's container image, `notices | sources | sbom | sums`
the files that go with a release, and `feed` signs the update feed.
"""

import sys

from release.main import main

sys.exit(main(sys.argv[1:]))
