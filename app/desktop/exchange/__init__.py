"""Importing posts from tables, and exporting them."""
