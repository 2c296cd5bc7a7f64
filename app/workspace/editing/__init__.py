"""Editing: drafts, their contents, and what users reuse in them."""
