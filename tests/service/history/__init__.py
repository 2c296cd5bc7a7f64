"""Tests of app.service.history."""
