"""Files for posts: uploads from this computer, and files stored by the service."""
