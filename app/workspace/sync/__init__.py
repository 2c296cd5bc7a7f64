"""Synchronisation with the service."""
