"""Image and video files: what they are, their pictures, and copies of them.

Only `app.media.worker`, a program of its own, opens a file: a bad one may take it down, and nothing else.
`app.media.helper` starts that program and asks it.
"""
