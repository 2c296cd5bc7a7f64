"""The social platforms: one adapter for each, and the rules that the app and the service share."""
