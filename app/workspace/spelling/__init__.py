"""Finds words that no dictionary knows, and suggests others."""
