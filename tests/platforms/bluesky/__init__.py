"""Tests of Bluesky."""
