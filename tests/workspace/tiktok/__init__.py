"""Who can see posts on TikTok, as the app keeps it."""
