"""Tests of app.service.monitoring."""
