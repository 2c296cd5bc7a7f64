"""Image and video files: probing them, extracting pictures, and converting copies.

Only `app.media.worker`, a separate program, opens a file, so a bad file can crash nothing else.
`app.media.helper` starts that program and sends it requests.
"""
