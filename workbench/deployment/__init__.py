"""Deployment: the files with which a server is run for others, filled in for one site.

    papers   which files belong to which way of running the server, and the site that fills them in
    files/   the files, as templates

To add a way, put its files into `files/` and add a `Paper` to `PAPERS`. Each is tried by
`tests/deployment`: with the program that reads it where that is installed, else by reading it.
"""
