"""Connected accounts: the browser flow that connects them, their list, and their tokens."""
