"""Webhooks: subscriptions, their health, and the log of deliveries."""

from app.desktop.webhooks.pane import WebhooksPane

__all__ = ["WebhooksPane"]
