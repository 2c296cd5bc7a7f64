"""The service's usage: plan, calls, storage, and forecasts."""
