"""Publishing by hand: the card that gives text and file to the user when a post is due."""
