"""Metrics of published content, sampled on a schedule and listed by day."""
