"""Accounts connected with a real browser: Chromium shows the consent page, the app's window waits for it."""
