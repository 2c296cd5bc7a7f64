"""Lets the tests import what `packaging/dev.py` imports."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "packaging"))
