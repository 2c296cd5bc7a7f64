"""Code that Facebook, Instagram and Threads share: the Graph API, logins, error codes."""
