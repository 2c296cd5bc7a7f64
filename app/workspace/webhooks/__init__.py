"""Webhooks: subscriptions and their deliveries."""
