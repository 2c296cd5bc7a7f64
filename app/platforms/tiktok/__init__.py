"""TikTok."""
