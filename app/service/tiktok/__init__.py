"""What creators chose for TikTok, and what TikTok lets them choose."""
