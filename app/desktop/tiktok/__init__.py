"""Who can see posts on TikTok, and what is disclosed about them."""
