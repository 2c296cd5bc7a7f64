"""Keeping up with the service."""
