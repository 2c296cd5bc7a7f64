"""Warnings about planned posts that will fail or may look wrong."""
