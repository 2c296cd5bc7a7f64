"""Mastodon, and servers with the same API."""
