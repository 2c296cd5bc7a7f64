"""Files for posts: what is uploaded from this computer, and what is known of files at the service."""
