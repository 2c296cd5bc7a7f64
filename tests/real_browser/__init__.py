"""Connecting accounts with a real browser: Chromium shows the consent page, and the app's window waits."""
