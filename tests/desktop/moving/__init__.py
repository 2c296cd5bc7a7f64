"""The screen of a calendar that moves."""
