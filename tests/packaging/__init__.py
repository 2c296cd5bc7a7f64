"""Tests of the set-up in packaging/."""
