"""Editing: drafts, their contents, snippets and emoji."""
