"""Choices for posts on TikTok: who can see them, and what they disclose."""
