"""Connecting an account through the browser."""
