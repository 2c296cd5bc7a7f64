"""The description of the API, read off the routes themselves so that it cannot say something else."""
