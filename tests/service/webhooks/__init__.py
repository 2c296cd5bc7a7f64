"""Tests of webhooks: what is sent, to whom, how often, and what is written of it."""
