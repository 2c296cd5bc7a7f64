"""Tests the Windows installer under Wine with a stand-in for the app: `python -m tests.packaging.wine`."""
