"""Drafts: posts that aren't scheduled yet."""
