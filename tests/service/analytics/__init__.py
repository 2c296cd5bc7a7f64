"""Tests of app.service.analytics."""
