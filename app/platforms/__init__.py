"""The social platforms: one adapter per platform, and the rules shared by app and service."""
