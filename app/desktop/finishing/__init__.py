"""Publishing by hand: the card that hands text and file to the user when a post is due."""
