"""Mastodon, and servers with the same API: GoToSocial, Pixelfed, Akkoma."""
