"""Tests of app.service.posts."""
