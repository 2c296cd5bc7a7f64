"""Who can see posts on TikTok, as the service keeps it."""
