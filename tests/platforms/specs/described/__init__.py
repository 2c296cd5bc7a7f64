"""What TikTok, X, LinkedIn and Threads take, written down in the form of OpenAPI from what is documented.

These platforms publish no description that could be kept here: TikTok has none, that of X is under X's own
terms, those of LinkedIn and Threads are collections of samples. Names, types and limits are from their
documentation as of 2026-11-21.
"""
