"""Tests of app.service.api."""
