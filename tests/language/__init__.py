"""Tests of the languages that are spoken."""
