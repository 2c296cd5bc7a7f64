"""Connections of accounts, through the browser or with an app password."""
