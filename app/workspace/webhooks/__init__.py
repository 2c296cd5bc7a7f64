"""Webhooks: who is told of events, and what became of it."""
