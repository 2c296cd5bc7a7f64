"""Try the installer for Windows under wine with a stand-in app: `python -m tests.packaging.wine`."""
