"""The API description, generated from the routes themselves, so that it's always correct."""
