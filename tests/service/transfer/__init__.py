"""Exports and imports of accounts."""
