"""Metrics and what follows from them."""
