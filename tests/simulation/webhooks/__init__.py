"""The room of webhooks: events, deliveries, replays, and receivers that hang, lie and come back."""
