"""TikTok's per-post choices, such as the audience, and the options TikTok offers."""
