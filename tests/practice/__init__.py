"""Tests of the practice platforms, over real HTTP."""
